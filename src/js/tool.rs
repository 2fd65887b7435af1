//! The page's tools: checked when they are set, called through promises.

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use crate::agent::host::{Progress, Tool, ToolOutput};
use crate::js::fields::Fields;
use crate::js::page::Handle;
use crate::js::pattern::RegExpMatcher;
use crate::js::standard::{self, Validator};
use crate::js::{error, result, transcript, value};
use crate::model::ToolDefinition;
use crate::schema::Schema;
use crate::text::json::to_text;
use crate::text::number;

/// A tool of the page.
#[derive(Debug, Clone)]
pub(super) struct PageTool {
    /// The app's object: `this` of its functions.
    object: JsValue,
    execute: Function,
    prepare_arguments: Option<Function>,
    /// What has the last word on arguments: the tool's own, else that of its Standard Schema.
    validator: Option<Validator>,
    /// `needsApproval`: a function, or anything that counts as true.
    needs_approval: JsValue,
    pub(super) spec: Rc<Tool>,
}

/// The tools that are set, and the array they were read from.
#[derive(Debug, Default)]
pub(super) struct ToolSet {
    source: Vec<JsValue>,
    /// What a model is told.
    pub(super) definitions: Vec<ToolDefinition>,
    tools: Vec<PageTool>,
}

impl ToolSet {
    /// Reads an array of tools.
    ///
    /// # Errors
    /// Which tool is wrong, and what it must be.
    pub(super) fn read(tools: &JsValue) -> Result<Self, JsValue> {
        if !js_sys::Array::is_array(tools) {
            return Err(error::invalid("tools", "an array of tools", tools));
        }
        let source = value::items(tools);
        let mut set = Self {
            source: source.clone(),
            ..Self::default()
        };
        for (index, object) in source.into_iter().enumerate() {
            let (tool, definition) = PageTool::read(object, index)?;
            if set.find(&tool.spec.name).is_some() {
                let message = format!(
                    "tools[{index}]: there is already a tool named \"{}\".",
                    tool.spec.name
                );
                return Err(error::misuse("invalid_argument", &message));
            }
            set.tools.push(tool);
            set.definitions.push(definition);
        }
        Ok(set)
    }

    /// Reads tools that a model is only told about: nothing runs them.
    ///
    /// # Errors
    /// Which tool is wrong, and what it must be.
    pub(super) fn read_definitions(tools: &JsValue) -> Result<Self, JsValue> {
        if !js_sys::Array::is_array(tools) {
            return Err(error::invalid("tools", "an array of tools", tools));
        }
        let source = value::items(tools);
        let mut definitions = Vec::new();
        for (index, object) in source.iter().enumerate() {
            let mut fields = fields_of(object, index);
            definitions.push(read_definition(&mut fields).1);
            fields.finish()?;
        }
        Ok(Self {
            source,
            definitions,
            tools: Vec::new(),
        })
    }

    /// The names of the tools that can be run.
    pub(super) fn names(&self) -> Vec<String> {
        self.tools
            .iter()
            .map(|tool| tool.spec.name.clone())
            .collect()
    }

    /// Whether it was read from an array with just these elements.
    pub(super) fn is_of(&self, tools: &JsValue) -> bool {
        self.source == value::items(tools)
    }

    pub(super) fn find(&self, name: &str) -> Option<&PageTool> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }
}

/// What a model is told of a tool, and the schema that its arguments are checked against.
fn read_definition(fields: &mut Fields<'_>) -> (Option<Schema>, ToolDefinition) {
    let mut definition = ToolDefinition::default();
    let name = fields.given("name").unwrap_or_default();
    definition.name = name.as_string().unwrap_or_default();
    if definition.name.is_empty() {
        fields.expected("name", "a string that is not empty", &name);
    }
    if let Some(Ok(description)) = fields.given("description").map(String::try_from) {
        definition.description = description;
    }
    let mut schema = None;
    if let Some(parameters) = fields.given("parameters") {
        match read_schema(&parameters, &fields.path("parameters")) {
            Ok((read, json)) => {
                schema = Some(read);
                definition.parameters = json;
            }
            Err(problem) => fields.note(problem),
        }
    }
    (schema, definition)
}

fn fields_of(object: &JsValue, index: usize) -> Fields<'_> {
    Fields::new(object, ["tools[", &number::decimal(index), "]."].concat())
}

impl PageTool {
    fn read(object: JsValue, index: usize) -> Result<(Self, ToolDefinition), JsValue> {
        let mut fields = fields_of(&object, index);
        let (schema, definition) = read_definition(&mut fields);
        let execute = fields.function("execute");
        if execute.is_none() {
            fields.expected("execute", "a function", &JsValue::UNDEFINED);
        }
        let needs_approval = fields.given("needsApproval").unwrap_or_default();
        if !needs_approval.is_undefined()
            && needs_approval.as_bool().is_none()
            && !needs_approval.is_function()
        {
            fields.expected(
                "needsApproval",
                "true, false or a function",
                &needs_approval,
            );
        }
        let validator = match fields.function("validate") {
            Some(function) => Some(Validator::Own(function)),
            None => standard::validator(&fields.given("parameters").unwrap_or_default()),
        };
        let spec = Tool {
            name: definition.name.clone(),
            schema,
            execution_mode: fields.data("executionMode", "\"parallel\" or \"sequential\""),
            timeout_ms: fields.number("timeoutMs", 1),
        };
        let prepare_arguments = fields.function("prepareArguments");
        let execute = fields.finish().and(execute.ok_or(JsValue::UNDEFINED))?;
        Ok((
            Self {
                execute,
                prepare_arguments,
                validator,
                needs_approval,
                spec: Rc::new(spec),
                object,
            },
            definition,
        ))
    }

    /// Lets the tool change raw arguments.
    pub(super) fn prepare_arguments(
        &self,
        arguments: serde_json::Value,
    ) -> Result<serde_json::Value, String> {
        let Some(prepare) = &self.prepare_arguments else {
            return Ok(arguments);
        };
        let given = json_to_js(&arguments);
        let mut prepared = prepare
            .call1(&self.object, &given)
            .map_err(|thrown| format!("prepareArguments failed: {}", error::describe(&thrown)))?;
        if prepared.is_undefined() {
            // It may have changed what it was given.
            prepared = given;
        }
        transcript::read(&prepared)
            .map_err(|problem| format!("prepareArguments gave no arguments: {problem}"))
    }

    /// The arguments as the tool's validation leaves them.
    ///
    /// # Errors
    /// What does not fit.
    pub(super) async fn validate(&self, arguments: JsValue) -> Result<JsValue, String> {
        match &self.validator {
            Some(validator) => validator.check(&self.object, arguments).await,
            None => Ok(arguments),
        }
    }

    /// Whether a call with these arguments waits for the app's yes or no.
    ///
    /// # Errors
    /// The message of what `needsApproval` threw.
    pub(super) async fn needs_approval(&self, arguments: &JsValue) -> Result<bool, String> {
        let Some(function) = self.needs_approval.dyn_ref::<Function>() else {
            return Ok(self.needs_approval.is_truthy());
        };
        let needed = value::call(function, &self.object, &[arguments]).await;
        needed
            .map(|needed| needed.is_truthy())
            .map_err(|thrown| ["needsApproval failed: ", &error::describe(&thrown)].concat())
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// The message of what it threw, or what is wrong with what it returned.
    pub(super) async fn run(
        &self,
        id: &str,
        arguments: &JsValue,
        controller: &AbortController,
        progress: Progress<Handle>,
    ) -> Result<ToolOutput<Handle>, String> {
        // Tools may keep this function for ever, so the garbage collector decides when it goes.
        let report = move |partial: JsValue| match result::tool_result(&partial) {
            Ok(partial) => progress(Handle(partial)),
            Err(problem) => warn(&["onUpdate was ignored. ", &error::describe(&problem)].concat()),
        };
        let on_update = Closure::<dyn Fn(JsValue)>::new(report).into_js_value();
        let returned = value::call(
            &self.execute,
            &self.object,
            &[&id.into(), arguments, &controller.signal(), &on_update],
        )
        .await
        .map_err(|thrown| error::describe(&thrown))?;
        let result = result::tool_result(&returned).map_err(|problem| error::describe(&problem))?;
        Ok(ToolOutput {
            is_error: value::get(&result, "isError").is_truthy(),
            terminate: value::get(&result, "terminate").is_truthy(),
            result: Handle(result),
        })
    }
}

/// JSON of ours as the page's value: what `JSON.parse` makes of it.
pub(super) fn json_to_js(json: &serde_json::Value) -> JsValue {
    js_sys::JSON::parse(&to_text(json)).unwrap_or(JsValue::UNDEFINED)
}

fn read_schema(found: &JsValue, path: &str) -> Result<(Schema, serde_json::Value), JsValue> {
    // The schemas of some libraries are functions with properties.
    let mut found = found.clone();
    if standard::is_standard(&found) {
        found = standard::json_schema(&found).map_err(|problem| {
            error::misuse("invalid_argument", &[path, ": ", &problem].concat())
        })?;
    }
    let found = &found;
    if !value::is_plain_object(found) {
        let expected = "a JSON Schema object or a Standard Schema object";
        return Err(error::invalid(path, expected, found));
    }
    let problem = |text: String| error::misuse("invalid_argument", &format!("{path}: {text}"));
    let json: serde_json::Value = transcript::read(found).map_err(problem)?;
    let mut schema = Schema::compile(&json).map_err(|error| problem(error.to_string()))?;
    schema.find_invalid_patterns(&RegExpMatcher);
    if !schema.unsupported().is_empty() {
        let text = format!(
            "{path}: these keywords are not enforced: {}",
            schema.unsupported().join(", ")
        );
        warn(&text);
    }
    Ok((schema, json))
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn warn(text: &str);
}
