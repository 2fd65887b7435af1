//! The operations by which argument text becomes a value.
//!
//! Owns the vocabulary between the parser and whoever builds the value: plain JavaScript objects in the
//! page, a [`ValueBuilder`](super::ValueBuilder) in native code. Refuses to know how either of them stores it.
//!
//! ```
//! use sluice_agent::text::partial_json::{ArgumentSink, PartialJson, PathOp};
//!
//! struct Count(usize);
//! impl ArgumentSink for Count {
//!     fn apply(&mut self, _: PathOp<'_>) {
//!         self.0 += 1;
//!     }
//! }
//!
//! let mut count = Count(0);
//! PartialJson::new().push(r#"{"city":"Par"#, &mut count);
//! assert_eq!(count.0, 3); // open the object, key "city", start of the string "Par"
//! ```

/// One step in building the arguments.
///
/// The builder starts with an empty object, the view of arguments of which nothing is known yet, and keeps a
/// stack of open containers. A value goes to the end of the innermost open array, or under the last
/// [`Key`](PathOp::Key) of the innermost open object; the first one opened is the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathOp<'a> {
    /// Opens an object: the root, the next element of the array, or the value of the pending key.
    OpenObject,
    /// Opens an array: the next element of the array, or the value of the pending key.
    OpenArray,
    /// The complete key of the next value of the current object. It shows once that value begins. A key that
    /// the object already has replaces the earlier value.
    Key(&'a str),
    /// Begins a string value with the part that is known, possibly nothing.
    StartString(&'a str),
    /// Adds to the string value that is open.
    AppendString(&'a str),
    /// Closes the string value.
    EndString,
    /// A number, as valid JSON number text that is finite as an `f64`.
    Number(&'a str),
    /// The value `true`.
    True,
    /// The value `false`.
    False,
    /// The value `null`.
    Null,
    /// Closes the current container.
    Close,
    /// Throws everything away and starts anew. Comes at most once, before an object that was encoded twice.
    Reset,
}

/// Takes the operations in order.
pub trait ArgumentSink {
    /// Carries out one operation. Text in it is borrowed for the call only.
    fn apply(&mut self, op: PathOp<'_>);
}
