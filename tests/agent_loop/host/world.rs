//! The traits that the loop sees the world through.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};
use sluice_agent::agent::approval::Approvals;
use sluice_agent::agent::host::{
    BeforeToolCall, Call, Clock, FinishTurn, Head, Host, HttpResponse, Presenter, Progress, Rules,
    Source, Tail, Tool, ToolOutput, ToolRunner, Transport,
};
use sluice_agent::assemble::{AssembledCall, Batch};
use sluice_agent::error::{ErrorCode, ErrorInfo, Failure};
use sluice_agent::event::{
    AgentEvent, MessageEndEvent, MessageStartEvent, MessageUpdateEvent, Native,
};
use sluice_agent::message::{AssistantMessage, Message, ToolResultMessage};
use sluice_agent::model::{Model, RequestOptions, ToolDefinition};
use sluice_agent::protocol::{self, HttpRequest, StreamPart};
use sluice_agent::schema::PatternMatcher;

use super::{Alive, FakeHost};
use crate::mirror::{Mirror, Strings};
use crate::script::{Does, Point, Response, Step};

/// Something that arrives step by step.
pub struct Arriving<T> {
    steps: VecDeque<Step<T>>,
    _alive: Alive,
}

impl<T> Arriving<T> {
    async fn next(&mut self, host: &FakeHost) -> Result<Option<T>, Failure> {
        while let Some(step) = self.steps.pop_front() {
            match step {
                Step::Give(value) => return Ok(Some(value)),
                Step::Wait(ms) => host.clock.sleep(ms).await,
                Step::Fail(error) => return Err(error),
                Step::Hang => pending().await,
            }
        }
        Ok(None)
    }
}

fn hook_failed(text: String) -> Failure {
    ErrorInfo::new(ErrorCode::StreamFn, text)
}

impl FakeHost {
    fn arriving<T>(&self, steps: Vec<Step<T>>) -> Arriving<T> {
        Arriving {
            steps: steps.into(),
            _alive: Alive::new(&self.alive),
        }
    }

    fn next_response(&self) -> Response {
        let next = self.responses.borrow_mut().pop_front();
        let otherwise = || {
            self.otherwise
                .borrow()
                .clone()
                .expect("a scripted response")
        };
        next.unwrap_or_else(otherwise)
    }
}

impl Clock for FakeHost {
    fn now(&self) -> f64 {
        self.clock.now()
    }

    async fn sleep(&self, ms: f64) {
        self.clock.sleep(ms).await;
    }
}

impl Transport for FakeHost {
    type Body = Arriving<String>;
    type AppStream = Arriving<Vec<StreamPart>>;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Self::Body>, Failure> {
        self.requests.borrow_mut().push(request);
        let response = self.next_response();
        self.visit(Point::Send).await.map_err(hook_failed)?;
        match response {
            Response::Http {
                status,
                content_type,
                retry_after_ms,
                body,
            } => Ok(HttpResponse {
                status,
                content_type: content_type.to_owned(),
                retry_after_ms,
                body: self.arriving(body),
            }),
            Response::Unreachable(error) => Err(error),
            Response::App(_) => panic!("the app's stream is not sent"),
        }
    }

    async fn read(&self, body: &mut Self::Body) -> Result<Option<Vec<u8>>, Failure> {
        self.visit(Point::Read).await.map_err(hook_failed)?;
        Ok(body.next(self).await?.map(String::into_bytes))
    }

    async fn next_parts(
        &self,
        stream: &mut Self::AppStream,
        parts: &mut Vec<StreamPart>,
    ) -> Result<bool, Failure> {
        self.visit(Point::NextParts).await.map_err(hook_failed)?;
        let next = stream.next(self).await?;
        let more = next.is_some();
        parts.extend(next.into_iter().flatten());
        Ok(more)
    }

    async fn on_payload(&self, body: String) -> Result<String, Failure> {
        self.visit(Point::OnPayload).await.map_err(hook_failed)?;
        Ok(body)
    }

    async fn on_response(&self, _response: &HttpResponse<Self::Body>) -> Result<(), Failure> {
        self.visit(Point::OnResponse).await.map_err(hook_failed)
    }
}

impl Presenter for FakeHost {
    type Page = Native;

    async fn message_start(&self, head: Head) {
        let mirror = Mirror::start(head);
        let message = Message::Assistant(mirror.message.clone());
        self.mirror.replace(mirror);
        self.dispatch(AgentEvent::MessageStart(MessageStartEvent { message }))
            .await;
    }

    async fn message_update(&self, batch: &Batch, closing: bool) -> usize {
        let mut strings = Strings(batch.text());
        for operation in batch.operations() {
            if !closing && self.abort.borrow().is_fired() {
                return operation.word;
            }
            let event = self.mirror.borrow_mut().apply(&operation, &mut strings);
            if let Some(assistant_message_event) = event {
                let message = assistant_message_event
                    .partial()
                    .expect("an update")
                    .clone();
                self.dispatch(AgentEvent::MessageUpdate(MessageUpdateEvent {
                    message,
                    assistant_message_event,
                }))
                .await;
            }
        }
        assert_eq!(strings.0, "", "all text belongs to an operation");
        batch.words().len()
    }

    async fn message_end(&self, tail: &Tail) -> AssistantMessage {
        let message = self.mirror.take().end(tail);
        self.dispatch(AgentEvent::MessageEnd(MessageEndEvent {
            message: message.clone().into(),
        }))
        .await;
        message
    }
}

struct NoPatterns;

impl PatternMatcher for NoPatterns {
    fn is_match(&self, _pattern: &str, _text: &str) -> Option<bool> {
        None
    }
}

fn result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "details": {}})
}

fn answer(text: &str) -> ToolOutput<Value> {
    ToolOutput {
        result: result(text),
        is_error: false,
        terminate: false,
    }
}

impl ToolRunner for FakeHost {
    fn tool(&self, name: &str) -> Option<Rc<Tool>> {
        let tools = self.tools.borrow();
        let tool = tools.iter().find(|tool| tool.tool.name == name)?;
        Some(tool.tool.clone())
    }

    fn tool_names(&self) -> Vec<String> {
        let tools = self.tools.borrow();
        tools.iter().map(|tool| tool.tool.name.clone()).collect()
    }

    fn pattern_matcher(&self) -> &dyn PatternMatcher {
        &NoPatterns
    }

    fn prepare_arguments(&self, _call: &AssembledCall, arguments: Value) -> Result<Value, String> {
        let mut visit = pin!(self.visit(Point::PrepareArguments));
        let Poll::Ready(visited) = visit.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        else {
            panic!("arguments are prepared at once");
        };
        visited.map(|()| arguments)
    }

    async fn before_tool_call(
        &self,
        call: &AssembledCall,
        arguments: Value,
    ) -> Result<BeforeToolCall<Value>, String> {
        self.visit(Point::BeforeTool).await?;
        let before = self.before.borrow().clone();
        Ok(match before {
            Some(before) => before(&call.id, arguments),
            None => Ok(arguments).into(),
        })
    }

    async fn needs_approval(
        &self,
        call: &AssembledCall,
        _arguments: &Value,
    ) -> Result<bool, String> {
        self.visit(Point::NeedsApproval).await?;
        let tools = self.tools.borrow();
        let tool = tools.iter().find(|tool| tool.tool.name == call.name);
        Ok(tool.is_some_and(|tool| tool.asks))
    }

    fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    async fn run_tool(
        &self,
        call: &AssembledCall,
        arguments: Value,
        progress: Progress<Value>,
    ) -> Result<ToolOutput<Value>, String> {
        let _alive = Alive::new(&self.alive);
        self.log
            .borrow_mut()
            .push(format!("run {} {arguments}", call.id));
        self.visit(Point::Tool).await?;
        let does = {
            let tools = self.tools.borrow();
            let tool = tools.iter().find(|tool| tool.tool.name == call.name);
            tool.expect("a tool").does.clone()
        };
        match does {
            Does::Answer(ms, text) => {
                self.clock.sleep(ms).await;
                Ok(answer(text))
            }
            Does::Throw(text) => Err(text.to_owned()),
            Does::Hang => pending().await,
            Does::Progress(ms, reports) => {
                for report in reports {
                    self.clock.sleep(ms).await;
                    progress(result(report));
                }
                self.clock.sleep(ms).await;
                Ok(answer("done"))
            }
            Does::Late(ms) => {
                self.clock.after(ms, move || progress(result("too late")));
                Ok(answer("done"))
            }
            Does::ReportAndAnswer(report) => {
                progress(result(report));
                Ok(answer("done"))
            }
            Does::Terminate => Ok(ToolOutput {
                terminate: true,
                ..answer("enough")
            }),
            Does::Echo => Ok(answer(&arguments.to_string())),
        }
    }

    fn stop_tool(&self, call: &AssembledCall, reason: &str) {
        self.log
            .borrow_mut()
            .push(format!("stop {} {reason}", call.id));
    }

    async fn after_tool_call(
        &self,
        call: &AssembledCall,
        _arguments: Value,
        output: ToolOutput<Value>,
    ) -> Result<ToolOutput<Value>, String> {
        self.visit(Point::AfterTool).await?;
        let after = self.after.borrow().clone();
        Ok(match after {
            Some(after) => after(&call.id, output),
            None => output,
        })
    }

    fn value(&self, value: &Value) -> Value {
        value.clone()
    }

    fn shown_arguments(&self, message: &AssistantMessage, call: &AssembledCall) -> Value {
        let shown = message.tool_calls().find(|shown| shown.id == call.id);
        Value::Object(shown.expect("the call is in the message").arguments.clone())
    }

    fn error_result(&self, text: &str) -> Value {
        result(text)
    }

    fn tool_result_message(
        &self,
        call: &AssembledCall,
        output: &ToolOutput<Value>,
        duration_ms: Option<f64>,
    ) -> Message {
        Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: serde_json::from_value(output.result["content"].clone()).expect("blocks"),
            details: output.result["details"].clone(),
            is_error: output.is_error,
            timestamp: self.now(),
            duration_ms,
        })
    }
}

impl Host for FakeHost {
    fn rules(&self) -> Rules {
        self.rules.borrow().clone()
    }

    async fn emit(&self, event: AgentEvent) {
        self.dispatch(event).await;
    }

    fn model(&self) -> Model {
        self.model.borrow().clone()
    }

    async fn prepare_call(&self) -> Result<Call<Self::AppStream>, Failure> {
        self.visit(Point::PrepareCall).await.map_err(hook_failed)?;
        let app = matches!(self.responses.borrow().front(), Some(Response::App(_)));
        let source = if app {
            match self.next_response() {
                Response::App(steps) => Source::App(self.arriving(steps)),
                _ => panic!("the next response is the app's"),
            }
        } else {
            let context = protocol::Context {
                system_prompt: "Be brief.".to_owned(),
                messages: self.transcript.borrow().clone(),
                tools: self.tool_names().into_iter().map(definition).collect(),
            };
            Source::Provider(Box::new((context, RequestOptions::default())))
        };
        Ok(Call {
            model: self.model(),
            timeout_ms: self.timeout_ms.get(),
            idle_timeout_ms: self.idle_timeout_ms.get(),
            max_event_bytes: self.max_event_bytes.get(),
            source,
        })
    }

    fn forget(&self, messages: &[Message]) {
        let mut transcript = self.transcript.borrow_mut();
        let kept = transcript.len() - messages.len();
        assert_eq!(&transcript[kept..], messages, "the failed turn is the last");
        transcript.truncate(kept);
    }

    async fn finish_turn(
        &self,
        message: &AssistantMessage,
        _results: &[Message],
    ) -> Result<FinishTurn, Failure> {
        self.visit(Point::FinishTurn).await.map_err(hook_failed)?;
        let finish = self.finish.borrow().clone();
        Ok(finish.map_or(FinishTurn::AsUsual, |finish| finish(message)))
    }

    async fn online(&self) {
        self.visit(Point::Online).await.expect("no failure");
    }

    fn random(&self) -> f64 {
        0.5
    }

    async fn has_messages(&self, with_follow_ups: bool) -> bool {
        self.visit(Point::HasSteering).await.expect("no failure");
        let waits = !self.steering.borrow().waiting.is_empty();
        self.visit(Point::SteeringKnown).await.expect("no failure");
        if waits || !with_follow_ups {
            return waits;
        }
        self.visit(Point::HasFollowUps).await.expect("no failure");
        let waits = !self.follow_ups.borrow().waiting.is_empty();
        self.visit(Point::FollowUpsKnown).await.expect("no failure");
        waits
    }

    fn take_steering(&self) -> Vec<Message> {
        self.steering.borrow_mut().take()
    }

    fn take_follow_ups(&self) -> Vec<Message> {
        self.follow_ups.borrow_mut().take()
    }
}

fn definition(name: String) -> ToolDefinition {
    ToolDefinition {
        name,
        description: String::new(),
        parameters: json!({"type": "object"}),
    }
}
