//! What connects the loop to the world.
//!
//! The traits are small so that a part of the loop names only what it needs: one model call needs
//! no tools, a tool needs no network. The browser's implementation is in `js/`; tests script their
//! own. Futures are awaited on one thread and may be dropped at any await.

#![allow(
    async_fn_in_trait,
    reason = "the loop runs on one thread, so no Send bound is wanted"
)]

use std::rc::Rc;

use serde::Serialize;
use serde_json::Value;

use crate::agent::approval::Approvals;
use crate::agent::retry::RetryRules;
use crate::assemble::{AssembledCall, Batch, Ending};
use crate::error::Failure;
use crate::event::{AgentEvent, Page};
use crate::model::{Model, RequestOptions};
use crate::protocol::{Context, HttpRequest, StreamPart};
use crate::schema::{PatternMatcher, Schema};
use crate::text::json::read_names;

/// Time.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> f64;

    /// Completes after this many milliseconds.
    async fn sleep(&self, ms: f64);
}

/// A response whose headers have arrived.
#[derive(Debug)]
pub struct HttpResponse<B> {
    /// The status.
    pub status: u16,
    /// The `content-type` header, or empty.
    pub content_type: String,
    /// What `retry-after` (or `retry-after-ms`) asks for, in milliseconds.
    pub retry_after_ms: Option<f64>,
    /// The body. Dropping it cancels the download.
    pub body: B,
}

/// The network, and the app's own source of responses.
pub trait Transport: Clock {
    /// A body that is being received.
    type Body;
    /// A response that the app's `streamFn` makes.
    type AppStream;

    /// Sends a request and waits for the headers.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Self::Body>, Failure>;

    /// The next bytes; `None` at the end.
    async fn read(&self, body: &mut Self::Body) -> Result<Option<Vec<u8>>, Failure>;

    /// All that the protocol has to say was read: only the end of the body may be missing.
    fn set_complete(&self, _body: &mut Self::Body) {}

    /// Appends what the app's source says next; false at its end.
    async fn next_parts(
        &self,
        stream: &mut Self::AppStream,
        parts: &mut Vec<StreamPart>,
    ) -> Result<bool, Failure>;

    /// Lets the app see and replace the body of a request.
    async fn on_payload(&self, body: String) -> Result<String, Failure> {
        Ok(body)
    }

    /// Tells the app the status of a response.
    async fn on_response(&self, _response: &HttpResponse<Self::Body>) -> Result<(), Failure> {
        Ok(())
    }
}

/// What is known of an assistant message before it has content.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The protocol's name.
    pub api: String,
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// When the call began, in milliseconds since 1970.
    pub timestamp: f64,
}

/// What completes an assistant message.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// Stop reason, error, usage.
    pub ending: Ending,
    /// From the request to the end of the response, in milliseconds.
    pub duration_ms: f64,
}

/// Shows one assistant message at a time as it grows.
///
/// Each method delivers its events to the listeners before it completes.
pub trait Presenter {
    /// Whose objects the messages are.
    type Page: Page;

    /// An empty message begins.
    async fn message_start(&self, head: Head);

    /// The message grows. Returns how many words of the batch were delivered: fewer than all when
    /// the run was aborted meanwhile. A `closing` batch is delivered in spite of an abort.
    async fn message_update(&self, batch: &Batch, closing: bool) -> usize;

    /// The message is complete.
    async fn message_end(&self, tail: &Tail) -> <Self::Page as Page>::Assistant;
}

/// How to call the model.
#[derive(Debug)]
pub struct Call<S> {
    /// The model.
    pub model: Model,
    /// Limit for the response headers, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// Limit for silence on the body, in milliseconds.
    pub idle_timeout_ms: Option<f64>,
    /// The most bytes that one event of the response may have.
    pub max_event_bytes: usize,
    /// Where the response comes from.
    pub source: Source<S>,
}

/// Where a response comes from.
#[derive(Debug)]
pub enum Source<S> {
    /// A provider, by a built-in protocol.
    Provider(Box<(Context, RequestOptions)>),
    /// The app's `streamFn`.
    App(S),
}

/// Whether the calls of one message run side by side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum ToolExecutionMode {
    /// All at once.
    #[default]
    Parallel,
    /// One after the other, in the order of the calls.
    Sequential,
}

/// When a steering message interrupts a batch of tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum InterruptMode {
    /// Calls that have not started are skipped.
    #[default]
    Immediate,
    /// The batch is finished first.
    Wait,
}

/// The rules of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Turns after which a run ends.
    pub max_turns: u32,
    /// Whether calls run side by side.
    pub tool_execution: ToolExecutionMode,
    /// When steering interrupts.
    pub interrupt_mode: InterruptMode,
    /// Limit for one tool, in milliseconds, where the tool names none.
    pub tool_timeout_ms: Option<f64>,
    /// Limit for one hook of the app, in milliseconds.
    pub hook_timeout_ms: Option<f64>,
    /// How failed model calls are made again; `None` for not at all.
    pub retry: Option<RetryRules>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_turns: 100,
            tool_execution: ToolExecutionMode::default(),
            interrupt_mode: InterruptMode::default(),
            tool_timeout_ms: None,
            hook_timeout_ms: None,
            retry: None,
        }
    }
}

/// What the loop knows of a tool.
#[derive(Debug, Default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The schema of its arguments; `None` accepts any object.
    pub schema: Option<Schema>,
    /// Whether this tool must not run beside others.
    pub execution_mode: Option<ToolExecutionMode>,
    /// Limit for one call, in milliseconds.
    pub timeout_ms: Option<f64>,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput<V> {
    /// The result: content and details.
    pub result: V,
    /// Whether it stands for a failure.
    pub is_error: bool,
    /// Whether the tool asks that the run end.
    pub terminate: bool,
}

/// What `beforeToolCall` decided.
#[derive(Debug, Clone, PartialEq)]
pub struct BeforeToolCall<V> {
    /// Run the tool with these arguments, or do not: then the reason is the result.
    pub verdict: Result<V, String>,
    /// Whether the run is asked to end after this call.
    pub terminate: bool,
}

impl<V> From<Result<V, String>> for BeforeToolCall<V> {
    fn from(verdict: Result<V, String>) -> Self {
        Self {
            verdict,
            terminate: false,
        }
    }
}

/// What `finishTurn` decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FinishTurn {
    /// Nothing: the run goes on while there is something to do.
    #[default]
    AsUsual,
    /// Another turn follows if there are results to hand in, whether tools asked to stop or not.
    Continue,
    /// The run ends. What is queued stays queued.
    End,
}

type ValueOf<H> = <<H as Presenter>::Page as Page>::Value;
type MessageOf<H> = <<H as Presenter>::Page as Page>::Message;
type AssistantOf<H> = <<H as Presenter>::Page as Page>::Assistant;

/// Sends a tool's progress to the loop. Ignored once the call is answered.
pub type Progress<V> = Rc<dyn Fn(V)>;

/// Runs tools.
pub trait ToolRunner: Presenter + Clock {
    /// The tool of this name.
    fn tool(&self, name: &str) -> Option<Rc<Tool>>;

    /// The names of all tools.
    fn tool_names(&self) -> Vec<String>;

    /// Matches the patterns of schemas.
    fn pattern_matcher(&self) -> &dyn PatternMatcher;

    /// Lets the tool change the raw arguments before they are checked.
    ///
    /// # Errors
    /// The message of a tool that failed to.
    fn prepare_arguments(&self, _call: &AssembledCall, arguments: Value) -> Result<Value, String> {
        Ok(arguments)
    }

    /// Makes the page's value of arguments that fit the schema, after the app's own validation.
    ///
    /// # Errors
    /// What does not fit, one line each.
    async fn validate_arguments(
        &self,
        _call: &AssembledCall,
        arguments: Value,
    ) -> Result<ValueOf<Self>, String> {
        Ok(self.value(&arguments))
    }

    /// Asks the app whether and with which arguments to run a call.
    ///
    /// # Errors
    /// The message of a hook that failed.
    async fn before_tool_call(
        &self,
        call: &AssembledCall,
        arguments: ValueOf<Self>,
    ) -> Result<BeforeToolCall<ValueOf<Self>>, String>;

    /// Whether the call waits for the app's yes or no.
    ///
    /// # Errors
    /// The message of a hook that failed.
    async fn needs_approval(
        &self,
        _call: &AssembledCall,
        _arguments: &ValueOf<Self>,
    ) -> Result<bool, String> {
        Ok(false)
    }

    /// The calls that wait for the app's yes or no. They outlive the run where a session does.
    fn approvals(&self) -> &Approvals;

    /// Runs the tool.
    ///
    /// # Errors
    /// The message of a tool that failed.
    async fn run_tool(
        &self,
        call: &AssembledCall,
        arguments: ValueOf<Self>,
        progress: Progress<ValueOf<Self>>,
    ) -> Result<ToolOutput<ValueOf<Self>>, String>;

    /// Nothing waits for this call any more: tells the tool, if it still runs, to stop.
    fn stop_tool(&self, call: &AssembledCall, reason: &str);

    /// Lets the app change what a tool gave.
    ///
    /// # Errors
    /// The message of a hook that failed.
    async fn after_tool_call(
        &self,
        call: &AssembledCall,
        arguments: ValueOf<Self>,
        output: ToolOutput<ValueOf<Self>>,
    ) -> Result<ToolOutput<ValueOf<Self>>, String>;

    /// A plain value as the page's own.
    fn value(&self, value: &Value) -> ValueOf<Self>;

    /// The arguments of a call as the message shows them.
    fn shown_arguments(&self, message: &AssistantOf<Self>, call: &AssembledCall) -> ValueOf<Self>;

    /// A result that says why there is none.
    fn error_result(&self, text: &str) -> ValueOf<Self>;

    /// The message that answers a call.
    fn tool_result_message(
        &self,
        call: &AssembledCall,
        output: &ToolOutput<ValueOf<Self>>,
        duration_ms: Option<f64>,
    ) -> MessageOf<Self>;
}

/// Everything that a run needs.
pub trait Host: Transport + ToolRunner {
    /// The rules as they are now.
    fn rules(&self) -> Rules;

    /// Delivers an event. On `message_end` the message enters the transcript first.
    async fn emit(&self, event: AgentEvent<Self::Page>);

    /// The model that the next call is meant for.
    fn model(&self) -> Model;

    /// Prepares a model call from the transcript as it is now, hooks included.
    ///
    /// # Errors
    /// What kept the call from being made.
    async fn prepare_call(&self) -> Result<Call<Self::AppStream>, Failure>;

    /// Takes messages of a failed turn off the transcript.
    fn forget(&self, messages: &[MessageOf<Self>]);

    /// Lets the app decide whether the run goes on behind a turn.
    ///
    /// # Errors
    /// What a hook that failed said.
    async fn finish_turn(
        &self,
        _message: &AssistantOf<Self>,
        _results: &[MessageOf<Self>],
    ) -> Result<FinishTurn, Failure> {
        Ok(FinishTurn::AsUsual)
    }

    /// Completes when there is a network: at once, unless the browser knows that there is none.
    async fn online(&self);

    /// A random number of at least 0 and less than 1.
    fn random(&self) -> f64;

    /// Whether steering messages wait, or else, if they are asked for, follow-ups.
    async fn has_messages(&self, with_follow_ups: bool) -> bool;

    /// Takes the next steering messages. They enter the transcript.
    fn take_steering(&self) -> Vec<MessageOf<Self>>;

    /// Takes the next follow-up messages. They enter the transcript.
    fn take_follow_ups(&self) -> Vec<MessageOf<Self>>;
}

read_names!(ToolExecutionMode, "\"parallel\" or \"sequential\"", { "parallel" => Parallel, "sequential" => Sequential });
read_names!(InterruptMode, "\"immediate\" or \"wait\"", { "immediate" => Immediate, "wait" => Wait });
