//! Stands in for the crate `indexmap`, in which serde_json keeps the members of objects in their order: what
//! serde_json calls of it and no more.
//!
//! Objects of tools and schemas have a handful of members, and looking through those is as fast as hashing them.
//! The tables and hashes of the crate are 2.3 kB of the shipped module. Larger maps have an index sorted by key, so
//! that nothing is quadratic.

use std::borrow::Borrow;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::mem::replace;
use std::ops::Index;

pub mod map;

/// From this many entries on there is an index.
const INDEXED: usize = 24;

/// A map that keeps the order in which its keys were first inserted.
pub struct IndexMap<K, V, S = ()> {
    entries: Vec<(K, V)>,
    /// Places of the entries, sorted by key; empty while there are few.
    sorted: Vec<u32>,
    hasher: PhantomData<S>,
}

impl<K, V, S> Default for IndexMap<K, V, S> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            sorted: Vec::new(),
            hasher: PhantomData,
        }
    }
}

impl<K: Ord, V, S> IndexMap<K, V, S> {
    /// The hasher is not needed.
    pub fn with_capacity_and_hasher(capacity: usize, _hasher: S) -> Self {
        Self {
            entries: Vec::with_capacity(capacity),
            ..Self::default()
        }
    }

    /// Where the entry is, or where in the index its place belongs.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        if self.sorted.is_empty() {
            let mut keys = self.entries.iter().map(|(known, _)| known.borrow());
            return keys.position(|known| known == key).ok_or(0);
        }
        let key_at = |place: &u32| {
            self.entries
                .get(*place as usize)
                .map(|(key, _)| key.borrow())
        };
        let found = self
            .sorted
            .binary_search_by(|place| key_at(place).cmp(&Some(key)))?;
        self.sorted
            .get(found)
            .map(|place| *place as usize)
            .ok_or(found)
    }

    /// Adds an entry whose key is new.
    fn add(&mut self, at: usize, key: K, value: V) -> usize {
        let place = self.entries.len();
        self.entries.push((key, value));
        if !self.sorted.is_empty() {
            self.sorted.insert(at, place as u32);
        } else if place >= INDEXED {
            self.sort();
        }
        place
    }

    /// Makes the index.
    fn sort(&mut self) {
        self.sorted.clear();
        if self.entries.len() <= INDEXED {
            return;
        }
        for (place, (key, _)) in self.entries.iter().enumerate() {
            let key_at = |place: &u32| self.entries.get(*place as usize).map(|(key, _)| key);
            let at = self
                .sorted
                .partition_point(|place| key_at(place) < Some(key));
            self.sorted.insert(at, place as u32);
        }
    }

    fn take_out<T>(&mut self, take: impl FnOnce(&mut Vec<(K, V)>) -> T) -> T {
        let taken = take(&mut self.entries);
        self.sort();
        taken
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.sorted.clear();
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (key, value) = self.entries.get(self.find(key).ok()?)?;
        Some((key, value))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => {
                let (_, known) = self.entries.get_mut(place)?;
                Some(replace(known, value))
            }
            Err(at) => {
                self.add(at, key, value);
                None
            }
        }
    }

    pub fn shift_insert(&mut self, index: usize, key: K, value: V) -> Option<V> {
        let before = self.shift_remove(&key);
        self.take_out(|entries| entries.insert(index.min(entries.len()), (key, value)));
        before
    }

    pub fn swap_remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.take_out(|entries| entries.swap_remove(place)))
    }

    pub fn shift_remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.take_out(|entries| entries.remove(place)))
    }

    pub fn swap_remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.swap_remove_entry(key).map(|(_, value)| value)
    }

    pub fn shift_remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.shift_remove_entry(key).map(|(_, value)| value)
    }

    pub fn append(&mut self, other: &mut Self) {
        other.sorted.clear();
        self.extend(other.entries.drain(..));
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.take_out(|entries| entries.retain_mut(|(key, value)| keep(key, value)));
    }

    pub fn sort_unstable_keys(&mut self) {
        self.take_out(|entries| entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b)));
    }

    pub fn entry(&mut self, key: K) -> map::Entry<'_, K, V, S> {
        match self.find(&key) {
            Ok(place) => map::Entry::Occupied(map::OccupiedEntry { map: self, place }),
            Err(at) => map::Entry::Vacant(map::VacantEntry { map: self, at, key }),
        }
    }

    pub fn iter(&self) -> map::Iter<'_, K, V> {
        map::Iter(self.entries.iter())
    }

    pub fn iter_mut(&mut self) -> map::IterMut<'_, K, V> {
        map::IterMut(self.entries.iter_mut())
    }

    pub fn keys(&self) -> map::Keys<'_, K, V> {
        map::Keys(self.entries.iter())
    }

    pub fn values(&self) -> map::Values<'_, K, V> {
        map::Values(self.entries.iter())
    }

    pub fn values_mut(&mut self) -> map::ValuesMut<'_, K, V> {
        map::ValuesMut(self.entries.iter_mut())
    }

    pub fn into_values(self) -> map::IntoValues<K, V> {
        map::IntoValues(self.entries.into_iter())
    }
}

impl<K: Clone, V: Clone, S> Clone for IndexMap<K, V, S> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            sorted: self.sorted.clone(),
            hasher: PhantomData,
        }
    }
}

impl<K: Debug, V: Debug, S> Debug for IndexMap<K, V, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.iter().map(|(key, value)| (key, value));
        formatter.debug_map().entries(entries).finish()
    }
}

/// The order does not count.
impl<K: Ord, V: PartialEq, S> PartialEq for IndexMap<K, V, S> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Ord, V: Eq, S> Eq for IndexMap<K, V, S> {}

impl<K: Hash, V: Hash, S> Hash for IndexMap<K, V, S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

impl<Q: Ord + ?Sized, K: Ord + Borrow<Q>, V, S> Index<&Q> for IndexMap<K, V, S> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry found for key")
    }
}

impl<K: Ord, V, S> Extend<(K, V)> for IndexMap<K, V, S> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V, S> FromIterator<(K, V)> for IndexMap<K, V, S> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

impl<K, V, S> IntoIterator for IndexMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = map::IntoIter<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        map::IntoIter(self.entries.into_iter())
    }
}

impl<'a, K, V, S> IntoIterator for &'a IndexMap<K, V, S> {
    type Item = (&'a K, &'a V);
    type IntoIter = map::Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        map::Iter(self.entries.iter())
    }
}
