//! The page's tools: checked when they are set, called through promises.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use crate::agent::host::{Progress, Tool, ToolOutput};
use crate::js::given;
use crate::js::options::amount;
use crate::js::page::Handle;
use crate::js::pattern::RegExpMatcher;
use crate::js::value::{self, Settling};
use crate::js::{error, result, transcript};
use crate::model::ToolDefinition;
use crate::schema::Schema;
use crate::text::json::{FromJson, Reader, to_text};
use crate::text::number;

/// What is known of tools that are set. The tools themselves stay the page's.
#[derive(Debug, Default)]
pub(super) struct ToolSet {
    /// What a model is told.
    pub(super) definitions: Vec<ToolDefinition>,
    /// How each is run; empty for tools that a model is only told of.
    specs: Vec<Rc<Tool>>,
}

/// Tools that can be run: what is known of them, and the app's objects.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools {
    pub(super) set: Rc<ToolSet>,
    objects: JsValue,
}

/// A tool of the page.
#[derive(Debug, Clone)]
pub(super) struct PageTool {
    /// The app's object: `this` of its functions.
    object: JsValue,
    pub(super) spec: Rc<Tool>,
}

impl ToolSet {
    /// Reads an array of tools. `is_told` for those that a model is only told of: nothing runs them.
    ///
    /// # Errors
    /// Which tool is wrong, and what it must be.
    pub(super) fn read(tools: &JsValue, is_told: bool) -> Result<Self, JsValue> {
        let json = given::read_tools(tools, is_told)?;
        let tools: &Array = tools.unchecked_ref();
        let mut set = Self::default();
        for (index, read) in given::read::<Vec<GivenTool>>(&json, "tools")?
            .into_iter()
            .enumerate()
        {
            let GivenTool {
                mut definition,
                mut spec,
                parameters,
            } = read;
            if let Some(parameters) = parameters {
                let place = ["tools[", &number::decimal(index), "].parameters"].concat();
                let schema = given::read(&parameters, &place)?;
                spec.schema = Some(compile(&schema, &place, tools.get(index as u32))?);
                definition.parameters = schema;
            }
            if !is_told {
                set.specs.push(Rc::new(spec));
            }
            set.definitions.push(definition);
        }
        Ok(set)
    }

    /// The names of the tools that can be run.
    pub(super) fn names(&self) -> Vec<String> {
        self.specs.iter().map(|tool| tool.name.clone()).collect()
    }
}

impl Tools {
    /// `objects` are those that `set` was read from.
    pub(super) fn new(set: Rc<ToolSet>, objects: JsValue) -> Self {
        Self { set, objects }
    }

    pub(super) fn find(&self, name: &str) -> Option<PageTool> {
        let specs = self.set.specs.iter();
        let (index, spec) = (0..).zip(specs).find(|(_, tool)| tool.name == name)?;
        Some(PageTool {
            object: js_sys::Reflect::get_u32(&self.objects, index).ok()?,
            spec: spec.clone(),
        })
    }
}

/// A tool as `given.js` writes it.
struct GivenTool {
    definition: ToolDefinition,
    spec: Tool,
    /// Its JSON Schema, as text.
    parameters: Option<String>,
}

impl FromJson for GivenTool {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        let name: String = reader.field("name");
        Self {
            spec: Tool {
                name: name.clone(),
                schema: None,
                execution_mode: reader.optional("executionMode"),
                timeout_ms: amount::<1>(reader, "timeoutMs"),
            },
            definition: ToolDefinition {
                name,
                description: reader.or_default("description"),
                parameters: serde_json::Value::Null,
            },
            parameters: reader.optional("parameters"),
        }
    }
}

/// Compiles the schema of a tool, and tells what of it is not enforced.
fn compile(
    parameters: &serde_json::Value,
    place: &str,
    object: JsValue,
) -> Result<Schema, JsValue> {
    let mut schema = Schema::compile(parameters).map_err(|problem| {
        let message = [place, ": ", &problem.text()].concat();
        error::misuse("invalid_argument", &message)
    })?;
    schema.find_invalid_patterns(&RegExpMatcher);
    if !schema.unsupported().is_empty() {
        let unsupported = schema.unsupported().join(", ");
        let text = [place, ": these keywords are not enforced: ", &unsupported].concat();
        given::warn_once(&object, &text);
    }
    Ok(schema)
}

impl PageTool {
    /// Lets the tool change raw arguments.
    pub(super) fn prepare_arguments(
        &self,
        arguments: serde_json::Value,
    ) -> Result<serde_json::Value, String> {
        let prepare = value::get(&self.object, "prepareArguments");
        let Some(prepare) = value::as_function(prepare) else {
            return Ok(arguments);
        };
        let given = json_to_js(&arguments);
        let mut prepared = prepare
            .call1(&self.object, &given)
            .map_err(|thrown| ["prepareArguments failed: ", &error::describe(&thrown)].concat())?;
        if prepared.is_undefined() {
            // It may have changed what it was given.
            prepared = given;
        }
        transcript::read(&prepared)
            .map_err(|problem| ["prepareArguments gave no arguments: ", &problem].concat())
    }

    /// Asks the tool's own validation, if it has one.
    pub(super) fn ask_validation(&self, arguments: &JsValue) -> Option<Settling> {
        let validate = value::as_function(given::validator(&self.object))?;
        Some(value::call(&validate, &self.object, &[arguments]))
    }

    /// The arguments as validation leaves them.
    ///
    /// # Errors
    /// What does not fit.
    pub(super) fn validated(
        &self,
        arguments: &JsValue,
        answer: Result<JsValue, JsValue>,
    ) -> Result<JsValue, String> {
        let answer = answer.map_err(|thrown| ["- ", &error::describe(&thrown)].concat())?;
        given::validated(&self.object, arguments, &answer)
            .map_err(|thrown| error::describe(&thrown))
    }

    /// Asks whether a call with these arguments waits for the app's yes or no.
    pub(super) fn ask_approval(&self, arguments: &JsValue) -> Settling {
        let needed = value::get(&self.object, "needsApproval");
        if needed.is_function() {
            value::call(needed.unchecked_ref(), &self.object, &[arguments])
        } else {
            Settling::Settled(Ok(needed))
        }
    }

    /// Runs the tool.
    pub(super) fn run(
        &self,
        id: &str,
        arguments: &JsValue,
        controller: &AbortController,
        progress: Progress<Handle>,
    ) -> Settling {
        // Tools may keep this function for ever, so the garbage collector decides when it goes.
        let report = move |partial: JsValue| match result::tool_result(&partial) {
            Ok(partial) => progress(Handle(partial)),
            Err(problem) => warn(&["onUpdate was ignored. ", &error::describe(&problem)].concat()),
        };
        let on_update = Closure::<dyn Fn(JsValue)>::new(report).into_js_value();
        value::call(
            value::get(&self.object, "execute").unchecked_ref(),
            &self.object,
            &[&id.into(), arguments, &controller.signal(), &on_update],
        )
    }
}

/// What a tool that ran came to.
///
/// # Errors
/// The message of what it threw, or what is wrong with what it returned.
pub(super) fn output(returned: Result<JsValue, JsValue>) -> Result<ToolOutput<Handle>, String> {
    let result = returned.and_then(|returned| result::tool_result(&returned));
    let result = result.map_err(|thrown| error::describe(&thrown))?;
    Ok(ToolOutput {
        is_error: value::get(&result, "isError").is_truthy(),
        terminate: value::get(&result, "terminate").is_truthy(),
        result: Handle(result),
    })
}

/// JSON of ours as the page's value: what `JSON.parse` makes of it.
pub(super) fn json_to_js(json: &serde_json::Value) -> JsValue {
    js_sys::JSON::parse(&to_text(json)).unwrap_or(JsValue::UNDEFINED)
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn warn(text: &str);
}
