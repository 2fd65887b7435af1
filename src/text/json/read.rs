//! JSON → Rust types, with errors that say where and what.
//!
//! Reading always yields a value: what does not fit is noted once and stood in for, and whoever began
//! the reading asks at its end. A `Result` at every member would be several times the code, since each
//! way out of a half-read struct has to drop what was read before. For the same reason everything that
//! does not depend on the type read is out of line.

use serde_json::{Map, Value};

use super::Json;
use crate::text::number;

/// Bytes of a string that an error shows.
const MAX_SHOWN: usize = 60;

/// Reads a whole text.
///
/// # Errors
/// That it is not JSON, or what does not fit.
pub fn from_text<T: FromJson>(text: &str) -> Result<T, String> {
    let mut reader = Reader::open(text);
    let value = T::from_json(&mut reader);
    match reader.problem() {
        Some(problem) => Err(problem),
        None => Ok(value),
    }
}

/// Can be read from JSON.
pub trait FromJson: Sized {
    /// Reads the value that `reader` is at. Where it does not fit, the reader has noted that and
    /// the result is any value of the type.
    fn from_json(reader: &mut Reader<'_>) -> Self;
}

/// A value that is being read, and the first thing in it that did not fit.
#[derive(Debug)]
pub struct Reader<'a> {
    json: Json<'a>,
    /// What the reader is within, outermost first.
    outside: Vec<Outside<'a>>,
    unfit: Option<Unfit>,
}

/// A value is not what it must be.
#[derive(Debug)]
struct Unfit {
    /// Where, from the value that was read: `content[0].text`; empty for that value itself.
    path: String,
    /// What is wrong, for example `must be a string, but is null`.
    problem: String,
}

/// Where a reader was before it entered a member or an element.
#[derive(Debug)]
struct Outside<'a> {
    json: Json<'a>,
    was_fit: bool,
}

impl<'a> Reader<'a> {
    #[inline(never)]
    fn open(text: &'a str) -> Self {
        let (json, unfit) = match Json::parse(text) {
            Ok(json) => (json, None),
            Err(error) => {
                let problem = [
                    "is not JSON, or nested too deeply (at byte ",
                    &number::decimal(error.offset),
                    ")",
                ]
                .concat();
                let path = "the text".to_owned();
                (Json(""), Some(Unfit { path, problem }))
            }
        };
        Self {
            json,
            outside: Vec::new(),
            unfit,
        }
    }

    /// The value that the reader is at.
    pub fn json(&self) -> Json<'a> {
        self.json
    }

    /// A member that must be there.
    pub fn field<T: FromJson>(&mut self, key: &str) -> T {
        self.enter_field(key);
        let value = T::from_json(self);
        self.leave(key);
        value
    }

    /// A member that may be missing or `null`.
    pub fn optional<T: FromJson>(&mut self, key: &str) -> Option<T> {
        if !self.enter(key) {
            return None;
        }
        let value = T::from_json(self);
        self.leave(key);
        Some(value)
    }

    /// A member that may be missing, and then has the default value.
    pub fn or_default<T: FromJson + Default>(&mut self, key: &str) -> T {
        self.optional(key).unwrap_or_default()
    }

    /// The text of a string.
    #[inline(never)]
    pub fn string(&mut self) -> String {
        match self.json.as_str() {
            Some(text) => text.into_owned(),
            None => self.expected("a string"),
        }
    }

    /// The place of a string among `names`.
    #[inline(never)]
    pub fn name(&mut self, names: &[&str], expected: &str) -> usize {
        let text = self.json.as_str().unwrap_or_default();
        match names.iter().position(|name| *name == text) {
            Some(place) => place,
            None => self.expected(expected),
        }
    }

    /// Notes that the value is not what it must be, and gives what stands in for it.
    pub fn expected<T: Default>(&mut self, expected: &str) -> T {
        self.note(expected);
        T::default()
    }

    /// The first note counts.
    #[inline(never)]
    fn note(&mut self, expected: &str) {
        let text = self.json.text();
        let found = match text.bytes().next() {
            None => "missing",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') if text.len() > MAX_SHOWN => "a string",
            Some(b'"') => &["the string ", text].concat(),
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(_) => &["the number ", text].concat(),
        };
        if self.unfit.is_none() {
            self.unfit = Some(Unfit {
                path: String::new(),
                problem: ["must be ", expected, ", but is ", found].concat(),
            });
        }
    }

    /// What the first note says.
    #[inline(never)]
    fn problem(self) -> Option<String> {
        let Unfit { mut path, problem } = self.unfit?;
        if path.is_empty() {
            path.push_str("the value");
        }
        path.push(' ');
        path.push_str(&problem);
        Some(path)
    }

    #[inline(never)]
    fn enter(&mut self, key: &str) -> bool {
        let value = self.json.get(key);
        value.map(|value| self.enter_value(value)).is_some()
    }

    /// A member that is missing is read as an empty text, which no type accepts.
    #[inline(never)]
    fn enter_field(&mut self, key: &str) {
        self.enter_value(self.json.get(key).unwrap_or(Json("")));
    }

    #[inline(never)]
    fn enter_value(&mut self, value: Json<'a>) {
        self.outside.push(Outside {
            json: std::mem::replace(&mut self.json, value),
            was_fit: self.unfit.is_none(),
        });
    }

    /// Goes back outside; what was noted inside is noted as standing at `place`.
    #[inline(never)]
    fn leave(&mut self, place: &str) {
        let Some(outside) = self.outside.pop() else {
            return;
        };
        self.json = outside.json;
        if outside.was_fit
            && let Some(Unfit { path, .. }) = &mut self.unfit
        {
            if !path.is_empty() && !path.starts_with('[') {
                path.insert(0, '.');
            }
            path.insert_str(0, place);
        }
    }

    #[inline(never)]
    fn leave_item(&mut self, index: usize) {
        self.leave(&["[", &number::decimal(index), "]"].concat());
    }
}

impl FromJson for String {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        reader.string()
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self::new(T::from_json(reader))
    }
}

impl FromJson for f64 {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        match reader.json.as_f64() {
            Some(number) => number,
            None => reader.expected("a number"),
        }
    }
}

impl FromJson for bool {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        match reader.json.as_bool() {
            Some(boolean) => boolean,
            None => reader.expected("a boolean"),
        }
    }
}

impl FromJson for Value {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        reader.json.to_value()
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        if !reader.json.is_object() {
            return reader.expected("an object");
        }
        reader.json.to_map()
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        let mut items = Self::new();
        if !reader.json.is_array() {
            return reader.expected("an array");
        }
        for (index, item) in reader.json.items().enumerate() {
            reader.enter_value(item);
            items.push(T::from_json(reader));
            reader.leave_item(index);
        }
        items
    }
}

/// Pairs of a name and a value, in order: an object whose names are data.
impl<T: FromJson> FromJson for Vec<(String, T)> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        let mut pairs = Self::new();
        if !reader.json.is_object() {
            return reader.expected("an object");
        }
        for (key, value) in reader.json.members() {
            reader.enter_value(value);
            let value = T::from_json(reader);
            reader.leave(&key);
            pairs.push((key.into_owned(), value));
        }
        pairs
    }
}

/// An enum of plain names.
pub trait Names: Sized + Copy + PartialEq + 'static {
    /// The names, in the order of the variants.
    const NAMES: &'static [&'static str];
    /// The variants. The first stands in for a name that is none.
    const VARIANTS: &'static [Self];

    /// Its name in JSON.
    fn json_name(self) -> &'static str {
        let place = Self::VARIANTS.iter().position(|variant| *variant == self);
        let name = place.and_then(|place| Self::NAMES.get(place));
        name.copied().unwrap_or_default()
    }
}

/// Reads an enum of plain names: `read_names!(Side, "\"left\" or \"right\"", { "left" => Left, … })`.
macro_rules! read_names {
    (
        $type:ty, $expected:literal,
        { $name:literal => $variant:ident $(, $more_names:literal => $more_variants:ident)* $(,)? }
    ) => {
        impl $crate::text::json::Names for $type {
            const NAMES: &'static [&'static str] = &[$name $(, $more_names)*];
            const VARIANTS: &'static [Self] = &[Self::$variant $(, Self::$more_variants)*];
        }

        impl $crate::text::json::FromJson for $type {
            fn from_json(reader: &mut $crate::text::json::Reader<'_>) -> Self {
                use $crate::text::json::Names;
                let place = reader.name(Self::NAMES, $expected);
                Self::VARIANTS.get(place).copied().unwrap_or(Self::$variant)
            }
        }
    };
}
pub(crate) use read_names;
