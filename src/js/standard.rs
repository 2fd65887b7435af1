//! Schemas of libraries: Standard Schema objects (ArkType, Zod, Valibot and others).
//!
//! Owns two questions to such an object: what is your JSON Schema, for the model and the coercions,
//! and do these arguments fit. Refuses to know one library from another where the standard says how;
//! the exception is an option that one of them needs.
//!
//! Sources: standardschema.dev, "Standard Schema" (`~standard.validate`) and "Standard JSON Schema"
//! (`~standard.jsonSchema.input`, `libraryOptions`).

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::js::{error, value};
use crate::text::number;

/// What has the last word on arguments.
#[derive(Debug, Clone)]
pub(super) enum Validator {
    /// The tool's `validate(args)`: returns the arguments to use, or throws.
    Own(Function),
    /// The function of a Standard Schema.
    Standard(Function),
}

/// Whether this is a Standard Schema object. Those of some libraries are functions.
pub(super) fn is_standard(schema: &JsValue) -> bool {
    value::get(schema, "~standard").is_object()
}

/// The validator of a schema that brings one.
pub(super) fn validator(schema: &JsValue) -> Option<Validator> {
    let validate = value::get(&value::get(schema, "~standard"), "validate");
    value::as_function(validate).map(Validator::Standard)
}

/// The JSON Schema of a Standard Schema object: by the standard, else by the method that the
/// library has for it.
///
/// # Errors
/// What the library says, or how to get one.
pub(super) fn json_schema(schema: &JsValue) -> Result<JsValue, String> {
    let standard = value::get(schema, "~standard");
    let converter = value::get(&standard, "jsonSchema");
    let vendor = value::get_string(&standard, "vendor").unwrap_or_default();
    let target = value::object(&[("target", &"draft-2020-12".into())]);
    if vendor == "valibot" {
        // It makes no JSON Schema with a function in it, unless that is to be left out.
        let left_out = Array::of3(
            &"check".into(),
            &"partial_check".into(),
            &"raw_check".into(),
        );
        let options = value::object(&[("ignoreActions", &left_out)]);
        value::set(&target, "libraryOptions", &options);
    }
    let argument = Array::of1(&target);
    let ways = [
        (&converter, "input", &argument),
        (schema, "toJSONSchema", &Array::new()),
        (schema, "toJsonSchema", &Array::new()),
    ];
    for (object, method, arguments) in ways {
        if let Some(method) = value::as_function(value::get(object, method)) {
            return method.apply(object, arguments).map_err(|thrown| {
                [
                    "its JSON Schema cannot be made: ",
                    &error::describe(&thrown),
                ]
                .concat()
            });
        }
    }
    Err([
        "this schema (",
        &vendor,
        ") cannot give its JSON Schema. Update the library, or wrap it (Valibot: toStandardJsonSchema of @valibot/to-json-schema), or give the JSON Schema here (Zod Mini: z.toJSONSchema(schema, { io: \"input\" })) and the check as the tool's validate.",
    ]
    .concat())
}

impl Validator {
    /// The arguments as they are to be used. `tool` is `this` of a tool's own function.
    ///
    /// # Errors
    /// What does not fit, one line each.
    pub(super) async fn check(
        &self,
        tool: &JsValue,
        arguments: JsValue,
    ) -> Result<JsValue, String> {
        match self {
            Self::Own(function) => {
                let answer = value::call(function, tool, &[&arguments]).await;
                let checked =
                    answer.map_err(|thrown| ["- ", &error::describe(&thrown)].concat())?;
                Ok(if checked.is_undefined() {
                    arguments
                } else {
                    checked
                })
            }
            Self::Standard(function) => {
                let answer = value::call(function, &JsValue::UNDEFINED, &[&arguments]).await;
                let answer = answer.map_err(|thrown| ["- ", &error::describe(&thrown)].concat())?;
                let issues = value::items(&value::get(&answer, "issues"));
                if issues.is_empty() {
                    let has_value = js_sys::Reflect::has(&answer, &"value".into());
                    return if has_value == Ok(true) {
                        Ok(value::get(&answer, "value"))
                    } else {
                        Err(
                            "- the schema's validate returned neither a value nor issues"
                                .to_owned(),
                        )
                    };
                }
                Err(issues.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// An issue: where, and what.
fn line(issue: &JsValue) -> String {
    let mut path = String::new();
    for step in value::items(&value::get(issue, "path")) {
        let key = value::get(&step, "key");
        let key = if key.is_undefined() { step } else { key };
        if let Some(index) = key.as_f64() {
            path.extend(["[", &number::format(index), "]"]);
        } else if let Some(key) = key.as_string() {
            path.extend([if path.is_empty() { "" } else { "." }, &key]);
        }
    }
    let message = value::get_string(issue, "message").unwrap_or_default();
    // ArkType's messages begin with the path.
    if message.starts_with(&path) {
        return ["- ", &message].concat();
    }
    ["- ", &path, ": ", &message].concat()
}
