//! JSON → Rust types, with errors that say where and what.

use std::fmt;

use serde_json::{Map, Value};

use super::Json;

/// A value is not what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// Where, from the value that was read: `content[0].text`; empty for that value itself.
    pub path: String,
    /// What it must be, for example `a string`.
    pub expected: &'static str,
    /// What it is, for example `null`.
    pub found: &'static str,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
        } = self;
        let path = if path.is_empty() { "the value" } else { path };
        write!(f, "{path} must be {expected}, but is {found}")
    }
}

impl Unfit {
    /// `json` is not what it must be.
    pub fn new(json: Option<Json<'_>>, expected: &'static str) -> Self {
        let found = match json.and_then(|json| json.text().bytes().next()) {
            None => "missing",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(_) => "a number",
        };
        Self {
            path: String::new(),
            expected,
            found,
        }
    }

    fn within(mut self, outer: &str) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, outer);
        self
    }
}

/// Reads a whole text.
///
/// # Errors
/// That it is not JSON, or what does not fit.
pub fn from_text<T: FromJson>(text: &str) -> Result<T, String> {
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    T::from_json(json).map_err(|unfit| unfit.to_string())
}

/// Can be read from JSON.
pub trait FromJson: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// What does not fit, and where.
    fn from_json(json: Json<'_>) -> Result<Self, Unfit>;
}

impl Json<'_> {
    /// A member that must be there.
    ///
    /// # Errors
    /// That it is missing or does not fit.
    pub fn field<T: FromJson>(self, key: &str) -> Result<T, Unfit> {
        match self.get(key) {
            Some(value) => T::from_json(value).map_err(|unfit| unfit.within(key)),
            // What the type wants stands in the error of a null.
            None => T::from_json(Json("null")).map_err(|unfit| {
                Unfit {
                    found: "missing",
                    ..unfit
                }
                .within(key)
            }),
        }
    }

    /// A member that may be missing or `null`.
    ///
    /// # Errors
    /// That it does not fit.
    pub fn optional<T: FromJson>(self, key: &str) -> Result<Option<T>, Unfit> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        T::from_json(value)
            .map(Some)
            .map_err(|unfit| unfit.within(key))
    }

    /// A member that may be missing, and then has the default value.
    ///
    /// # Errors
    /// That it does not fit.
    pub fn or_default<T: FromJson + Default>(self, key: &str) -> Result<T, Unfit> {
        self.optional(key).map(Option::unwrap_or_default)
    }
}

impl FromJson for String {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        json.as_str()
            .map(Into::into)
            .ok_or_else(|| Unfit::new(Some(json), "a string"))
    }
}

impl FromJson for f64 {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        json.as_f64()
            .ok_or_else(|| Unfit::new(Some(json), "a number"))
    }
}

impl FromJson for bool {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        json.as_bool()
            .ok_or_else(|| Unfit::new(Some(json), "a boolean"))
    }
}

impl FromJson for Value {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(json.to_value())
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        if json.is_object() {
            Ok(json.to_map())
        } else {
            Err(Unfit::new(Some(json), "an object"))
        }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        if !json.is_array() {
            return Err(Unfit::new(Some(json), "an array"));
        }
        let read =
            |(index, item)| T::from_json(item).map_err(|unfit| unfit.within(&format!("[{index}]")));
        json.items().enumerate().map(read).collect()
    }
}

/// Pairs of a name and a value, in order: an object whose names are data.
impl<T: FromJson> FromJson for Vec<(String, T)> {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        if !json.is_object() {
            return Err(Unfit::new(Some(json), "an object"));
        }
        let read = |(key, value): (std::borrow::Cow<'_, str>, Json<'_>)| {
            let value = T::from_json(value).map_err(|unfit| unfit.within(&key))?;
            Ok((key.into_owned(), value))
        };
        json.members().map(read).collect()
    }
}

/// Reads an enum of plain names: `read_names!(Side, "\"left\" or \"right\"", { "left" => Left, … })`.
macro_rules! read_names {
    ($type:ty, $expected:literal, { $($name:literal => $variant:ident),+ $(,)? }) => {
        impl $crate::text::json::FromJson for $type {
            fn from_json(json: $crate::text::json::Json<'_>) -> Result<Self, $crate::text::json::Unfit> {
                match json.as_str().as_deref() {
                    $(Some($name) => Ok(Self::$variant),)+
                    _ => Err($crate::text::json::Unfit::new(Some(json), $expected)),
                }
            }
        }
    };
}
pub(crate) use read_names;
