//! Entries and iterators.

use std::iter::FusedIterator;
use std::mem::replace;
use std::{slice, vec};

use crate::IndexMap;

/// The place of a key.
pub enum Entry<'a, K, V, S = std::hash::RandomState> {
    Occupied(OccupiedEntry<'a, K, V, S>),
    Vacant(VacantEntry<'a, K, V, S>),
}

/// A key that is not there.
pub struct VacantEntry<'a, K, V, S = std::hash::RandomState> {
    pub(crate) map: &'a mut IndexMap<K, V, S>,
    pub(crate) at: usize,
    pub(crate) key: K,
}

/// A key that is there.
pub struct OccupiedEntry<'a, K, V, S = std::hash::RandomState> {
    pub(crate) map: &'a mut IndexMap<K, V, S>,
    pub(crate) place: usize,
}

impl<'a, K: Ord, V, S> VacantEntry<'a, K, V, S> {
    pub fn key(&self) -> &K {
        &self.key
    }

    pub fn insert(self, value: V) -> &'a mut V {
        let place = self.map.add(self.at, self.key, value);
        &mut self.map.entries[place].1
    }
}

impl<'a, K: Ord, V, S> OccupiedEntry<'a, K, V, S> {
    pub fn key(&self) -> &K {
        &self.map.entries[self.place].0
    }

    pub fn get(&self) -> &V {
        &self.map.entries[self.place].1
    }

    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.entries[self.place].1
    }

    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.entries[self.place].1
    }

    pub fn insert(&mut self, value: V) -> V {
        replace(self.get_mut(), value)
    }

    pub fn swap_remove_entry(self) -> (K, V) {
        self.map.take_out(|entries| entries.swap_remove(self.place))
    }

    pub fn shift_remove_entry(self) -> (K, V) {
        self.map.take_out(|entries| entries.remove(self.place))
    }

    pub fn swap_remove(self) -> V {
        self.swap_remove_entry().1
    }

    pub fn shift_remove(self) -> V {
        self.shift_remove_entry().1
    }
}

macro_rules! iterator {
    ($name:ident<$($lifetime:lifetime,)? K, V>($inner:ty), $item:ty, $entry:ident => $shown:expr) => {
        #[derive(Debug)]
        pub struct $name<$($lifetime,)? K, V>(pub(crate) $inner);

        impl<$($lifetime,)? K, V> Iterator for $name<$($lifetime,)? K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$entry| $shown)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($lifetime,)? K, V> DoubleEndedIterator for $name<$($lifetime,)? K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$entry| $shown)
            }
        }

        impl<$($lifetime,)? K, V> ExactSizeIterator for $name<$($lifetime,)? K, V> {}
        impl<$($lifetime,)? K, V> FusedIterator for $name<$($lifetime,)? K, V> {}
    };
}

iterator!(Iter<'a, K, V>(slice::Iter<'a, (K, V)>), (&'a K, &'a V), entry => (&entry.0, &entry.1));
iterator!(IterMut<'a, K, V>(slice::IterMut<'a, (K, V)>), (&'a K, &'a mut V), entry => (&entry.0, &mut entry.1));
iterator!(Keys<'a, K, V>(slice::Iter<'a, (K, V)>), &'a K, entry => &entry.0);
iterator!(Values<'a, K, V>(slice::Iter<'a, (K, V)>), &'a V, entry => &entry.1);
iterator!(ValuesMut<'a, K, V>(slice::IterMut<'a, (K, V)>), &'a mut V, entry => &mut entry.1);
iterator!(IntoIter<K, V>(vec::IntoIter<(K, V)>), (K, V), entry => entry);
iterator!(IntoValues<K, V>(vec::IntoIter<(K, V)>), V, entry => entry.1);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> Clone for Values<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
