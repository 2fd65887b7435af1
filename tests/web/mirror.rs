//! What the native parser makes of argument text, to compare the script of the page with.

use js_sys::Array;
use sluice_agent::text::partial_json::{PartialJson, ValueBuilder};
use wasm_bindgen::JsValue;

/// The JSON of the arguments after each delta, and at the end.
pub(crate) fn argument_views(deltas: &Array) -> Array {
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    let views = Array::new();
    for delta in deltas.iter() {
        parser.push(&delta.as_string().unwrap_or_default(), &mut builder);
        views.push(&JsValue::from_str(&builder.view().to_string()));
    }
    // Text that is not complete keeps the view that it has.
    let _ = parser.finish(&mut builder);
    views.push(&JsValue::from_str(&builder.view().to_string()));
    views
}
