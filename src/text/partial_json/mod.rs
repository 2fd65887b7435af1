//! Incremental parser for the arguments of a tool call.
//!
//! Owns the reading of argument text as it streams in: each piece is looked at once, and what it adds to the
//! value goes to an [`ArgumentSink`] as [`PathOp`]s. Keys, numbers and literals are held back until they are
//! complete, so the view only ever grows; strings are shown as far as they are known. Refuses to execute: while
//! streaming there is only a view, and the value to run a tool with comes from [`parse_arguments`] or after
//! [`PartialJson::finish`] has found the text complete.
//!
//! Text that is right is read as `JSON.parse` reads it. Beyond that, the same in the view and in the final value:
//!
//! - an escape that JSON does not know keeps its backslash: `App\Http` (`\u` without four hex digits too);
//! - raw control characters in strings stand for themselves;
//! - a backslash with `n`, `r` or `t` outside strings is white space;
//! - a lone surrogate becomes U+FFFD;
//! - no text, and `null`, are an empty object;
//! - a string that itself holds an object is read as that object, once the text ends.
//!
//! Everything else that `JSON.parse` refuses is an error, and so is a root that is not an object, nesting beyond
//! [`MAX_DEPTH`] and a number beyond the range of `f64`.
//!
//! ```
//! use sluice_agent::text::partial_json::{PartialJson, ValueBuilder};
//!
//! let mut parser = PartialJson::new();
//! let mut arguments = ValueBuilder::new();
//! parser.push(r#"{"city":"Par"#, &mut arguments);
//! assert_eq!(arguments.view().to_string(), r#"{"city":"Par"}"#);
//! parser.push(r#"is","days":1"#, &mut arguments);
//! assert_eq!(arguments.view().to_string(), r#"{"city":"Paris"}"#); // 1 may become 12
//! parser.push("}", &mut arguments);
//! parser.finish(&mut arguments)?;
//! assert_eq!(arguments.view().to_string(), r#"{"city":"Paris","days":1}"#);
//! # Ok::<(), sluice_agent::text::partial_json::JsonError>(())
//! ```

mod error;
mod number;
mod ops;
mod parser;
mod state;
mod value;

#[cfg(test)]
mod tests;

pub use error::{JsonError, JsonErrorKind};
pub use ops::{ArgumentSink, PathOp};
pub use parser::{MAX_DEPTH, PartialJson};
pub use value::ValueBuilder;
pub(super) use value::number;

/// Reads complete argument text into the value to execute a tool with.
///
/// # Errors
///
/// The text is not one complete JSON object, after the repairs that the [module](self) lists.
///
/// ```
/// use sluice_agent::text::partial_json::parse_arguments;
///
/// assert_eq!(parse_arguments(r#"{"n":3.0}"#).unwrap().to_string(), r#"{"n":3}"#);
/// assert_eq!(parse_arguments("").unwrap().to_string(), "{}");
/// assert!(parse_arguments(r#"{"n":3"#).is_err());
/// ```
pub fn parse_arguments(text: &str) -> Result<serde_json::Value, JsonError> {
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    parser.push(text, &mut builder);
    parser.finish(&mut builder)?;
    Ok(builder.into_value())
}
