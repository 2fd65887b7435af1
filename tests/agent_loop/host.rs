//! The world of a run: network, tools, hooks, queues, listeners and transcript.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::rc::Rc;

use serde_json::Value;
use sluice_agent::agent::abort::Abort;
use sluice_agent::agent::approval::{Approval, Approvals};
use sluice_agent::agent::host::{BeforeToolCall, FinishTurn, Rules, ToolOutput};
use sluice_agent::agent::queue::QueueMode;
use sluice_agent::agent::run::{OpenCalls, run};
use sluice_agent::event::{
    AgentEvent, AssistantMessageEvent, DoneEvent, ErrorEvent, StartEvent, laws,
};
use sluice_agent::message::{AssistantMessage, Message, StopReason};
use sluice_agent::model::Model;
use sluice_agent::protocol::HttpRequest;
use sluice_agent::text::sse::DEFAULT_LIMIT;

use crate::clock::VirtualClock;
use crate::mirror::Mirror;
use crate::request_openai_completions;
use crate::script::{Act, FakeTool, Point, Response};
use crate::story;

mod world;

type Before = Rc<dyn Fn(&str, Value) -> BeforeToolCall<Value>>;
type Finish = Rc<dyn Fn(&AssistantMessage) -> FinishTurn>;
type After = Rc<dyn Fn(&str, ToolOutput<Value>) -> ToolOutput<Value>>;

/// Messages that wait, oldest first.
#[derive(Default)]
pub struct Queue {
    pub mode: QueueMode,
    pub waiting: Vec<Message>,
}

impl Queue {
    fn take(&mut self) -> Vec<Message> {
        self.mode.take(&mut self.waiting)
    }
}

pub struct FakeHost {
    pub clock: VirtualClock,
    pub model: RefCell<Model>,
    pub rules: RefCell<Rules>,
    pub timeout_ms: Cell<Option<f64>>,
    pub idle_timeout_ms: Cell<Option<f64>>,
    pub max_event_bytes: Cell<usize>,
    pub transcript: RefCell<Vec<Message>>,
    pub steering: RefCell<Queue>,
    pub follow_ups: RefCell<Queue>,
    pub tools: RefCell<Vec<FakeTool>>,
    pub before: RefCell<Option<Before>>,
    pub after: RefCell<Option<After>>,
    pub finish: RefCell<Option<Finish>>,
    pub approvals: Rc<Approvals>,
    /// What is answered when nothing is scripted any more.
    pub otherwise: RefCell<Option<Response>>,
    responses: RefCell<VecDeque<Response>>,
    /// The events of the run.
    pub events: RefCell<Vec<AgentEvent>>,
    /// The requests of all runs.
    pub requests: RefCell<Vec<HttpRequest>>,
    /// What tools were told.
    pub log: RefCell<Vec<String>>,
    acts: RefCell<Vec<(Point, usize, Act)>>,
    visits: RefCell<HashMap<Point, usize>>,
    abort: RefCell<Abort>,
    aborted_at: Cell<Option<f64>>,
    /// When the run is to be aborted from outside, at the latest.
    abort_planned_at: Cell<Option<f64>>,
    /// How many events there were when something in the run aborted it.
    events_at_abort: Cell<Option<usize>>,
    mirror: RefCell<Mirror>,
    alive: Rc<Cell<usize>>,
}

/// Something that must not outlive the run.
struct Alive(Rc<Cell<usize>>);

impl Alive {
    fn new(count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl FakeHost {
    pub fn new(responses: impl IntoIterator<Item = Response>, tools: Vec<FakeTool>) -> Self {
        let model = Model {
            id: "m".to_owned(),
            api: "openai-completions".to_owned(),
            base_url: Some("https://host.example/v1".to_owned()),
            ..Model::default()
        };
        Self {
            clock: VirtualClock::default(),
            model: RefCell::new(model),
            rules: RefCell::default(),
            timeout_ms: Cell::default(),
            idle_timeout_ms: Cell::default(),
            max_event_bytes: Cell::new(DEFAULT_LIMIT),
            transcript: RefCell::default(),
            steering: RefCell::default(),
            follow_ups: RefCell::default(),
            tools: RefCell::new(tools),
            before: RefCell::default(),
            after: RefCell::default(),
            finish: RefCell::default(),
            approvals: Rc::default(),
            otherwise: RefCell::default(),
            responses: RefCell::new(responses.into_iter().collect()),
            events: RefCell::default(),
            requests: RefCell::default(),
            log: RefCell::default(),
            acts: RefCell::default(),
            visits: RefCell::default(),
            abort: RefCell::default(),
            aborted_at: Cell::default(),
            abort_planned_at: Cell::default(),
            events_at_abort: Cell::default(),
            mirror: RefCell::default(),
            alive: Rc::default(),
        }
    }

    /// The same with other rules.
    pub fn with_rules(self, change: impl FnOnce(&mut Rules)) -> Self {
        change(&mut self.rules.borrow_mut());
        self
    }

    /// Lets something happen at the n-th visit of a point, counted from 0.
    pub fn at(self, point: Point, nth: usize, act: Act) -> Self {
        self.plan(point, nth, act);
        self
    }

    pub fn plan(&self, point: Point, nth: usize, act: Act) {
        self.acts.borrow_mut().push((point, nth, act));
    }

    pub fn add_response(&self, response: Response) {
        self.responses.borrow_mut().push_back(response);
    }

    pub fn abort(&self) {
        if self.aborted_at.get().is_none() {
            self.aborted_at.set(Some(self.clock.now()));
            self.events_at_abort.set(Some(self.events.borrow().len()));
        }
        let abort = self.abort.borrow().clone();
        abort.fire();
    }

    pub fn steer(&self, text: &str) {
        self.steering
            .borrow_mut()
            .waiting
            .push(crate::script::user(text));
        self.approvals.steer();
    }

    /// The app decides on a call, also on one that is yet to ask.
    pub fn decide(&self, id: &str, decision: Approval) {
        self.approvals.request(id);
        assert!(self.approvals.decide(id, decision), "{id} is decided on");
    }

    pub fn follow_up(&self, text: &str) {
        self.follow_ups
            .borrow_mut()
            .waiting
            .push(crate::script::user(text));
    }

    /// How often a point was visited in the last run.
    pub fn visits(&self, point: Point) -> usize {
        self.visits.borrow().get(&point).copied().unwrap_or(0)
    }

    /// Runs the loop with these prompts. Returns the story of the run, of which everything was
    /// checked that holds for all runs.
    pub fn run(&self, prompts: &[&str]) -> Vec<String> {
        let prompts = prompts.iter().map(|text| crate::script::user(text));
        self.run_with(prompts.collect(), None, |_| ())
    }

    /// Likewise from a transcript whose last answer has calls that are not answered.
    pub fn resume(
        &self,
        open: OpenCalls<AssistantMessage>,
        prompts: &[&str],
        abort_after_ms: Option<f64>,
    ) -> Vec<String> {
        let prompts = prompts.iter().map(|text| crate::script::user(text));
        self.run_with(prompts.collect(), Some(open), |host| {
            if let Some(ms) = abort_after_ms {
                host.plan_abort(ms);
            }
        })
    }

    /// Likewise, with an abort at this time.
    pub fn run_and_abort(&self, prompt: &str, after_ms: f64) -> Vec<String> {
        self.run_with(vec![crate::script::user(prompt)], None, |host| {
            host.plan_abort(after_ms);
        })
    }

    fn plan_abort(&self, after_ms: f64) {
        let abort = self.abort.borrow().clone();
        let at = self.clock.now() + after_ms;
        self.abort_planned_at.set(Some(at));
        self.clock.after(after_ms, move || abort.fire());
    }

    fn run_with(
        &self,
        prompts: Vec<Message>,
        open: Option<OpenCalls<AssistantMessage>>,
        plan: impl FnOnce(&Self),
    ) -> Vec<String> {
        self.events.borrow_mut().clear();
        self.visits.borrow_mut().clear();
        self.aborted_at.set(None);
        self.abort_planned_at.set(None);
        self.events_at_abort.set(None);
        let abort = Abort::default();
        self.abort.replace(abort.clone());
        plan(self);
        let known = self.transcript.borrow().len();
        let is_resumed = open.is_some();
        let messages = self.clock.drive(run(self, &abort, prompts, open));
        self.verify(&messages, known, is_resumed);
        self.acts.borrow_mut().clear();
        story::story(&self.events.borrow())
    }

    /// What holds for every run.
    fn verify(&self, messages: &[Message], known: usize, is_resumed: bool) {
        let events = self.events.borrow();
        let verdict = laws::check(&events);
        assert_eq!(verdict, Ok(()), "{:#?}", story::story(&events));
        for call in calls(&events) {
            assert_eq!(laws::check_call(&call), Ok(()));
        }
        let transcript = self.transcript.borrow();
        assert_eq!(
            &transcript[known..],
            messages,
            "the run returns what it added"
        );
        assert_valid(&transcript);
        for request in self.requests.borrow().iter() {
            request_openai_completions::check(&request.body);
        }
        assert_eq!(self.clock.sleepers(), 0, "timers are left");
        assert_eq!(self.alive.get(), 0, "requests or tools are left");
        let aborted_at = self.aborted_at.get().or(self.abort_planned_at.get());
        if let Some(at) = aborted_at.filter(|_| self.abort.borrow().is_fired()) {
            assert_eq!(self.clock.now(), at, "the abort takes time");
        }
        let after = self.events_at_abort.get().unwrap_or(events.len());
        for event in &events[after..] {
            let label = story::label(event);
            let news = label.ends_with("_delta")
                || [
                    "turn_start",
                    "text_start",
                    "thinking_start",
                    "toolcall_start",
                    "tool update",
                    "tool approval",
                    "retry start",
                ]
                .contains(&label);
            // The messages that a run was given have their turn in spite of an abort: the first, or
            // the second behind calls that were left open.
            let turns = events
                .iter()
                .filter(|event| matches!(event, AgentEvent::TurnStart(_)));
            let first = label == "turn_start" && (after < 2 || turns.count() == 2 && is_resumed);
            assert!(!news || first, "{label} behind the abort");
        }
    }

    /// What is planned for a point happens.
    async fn visit(&self, point: Point) -> Result<(), String> {
        let nth = {
            let mut visits = self.visits.borrow_mut();
            let count = visits.entry(point).or_default();
            *count += 1;
            *count - 1
        };
        let acts: Vec<Act> = self
            .acts
            .borrow()
            .iter()
            .filter(|(at, number, _)| *at == point && *number == nth)
            .map(|(_, _, act)| act.clone())
            .collect();
        let _alive = Alive::new(&self.alive);
        for act in acts {
            match act {
                Act::Abort => self.abort(),
                Act::Steer(text) => self.steer(text),
                Act::FollowUp(text) => self.follow_up(text),
                Act::ClearQueues => {
                    self.steering.borrow_mut().waiting.clear();
                    self.follow_ups.borrow_mut().waiting.clear();
                }
                Act::Delay(ms) => self.clock.sleep(ms).await,
                Act::Hang => pending().await,
                Act::Fail(text) => return Err(text.to_owned()),
                Act::Do(act) => act(self),
            }
        }
        Ok(())
    }

    /// Delivers an event to the listeners; a message enters the transcript first.
    async fn dispatch(&self, event: AgentEvent) {
        if let AgentEvent::MessageEnd(end) = &event {
            self.transcript.borrow_mut().push(end.message.clone());
        }
        let label = story::label(&event);
        self.events.borrow_mut().push(event);
        let heard = self.visit(Point::Event(label)).await;
        assert_eq!(heard, Ok(()), "listeners do not fail here");
    }
}

/// Every tool call has its result right behind.
fn assert_valid(transcript: &[Message]) {
    let mut waiting: VecDeque<&str> = VecDeque::new();
    for message in transcript {
        match message {
            Message::ToolResult(result) => {
                assert_eq!(waiting.pop_front(), Some(result.tool_call_id.as_str()));
            }
            message => {
                assert!(waiting.is_empty(), "calls without results: {waiting:?}");
                if let Message::Assistant(message) = message {
                    waiting.extend(message.tool_calls().map(|call| call.id.as_str()));
                }
            }
        }
    }
    assert!(waiting.is_empty(), "calls without results: {waiting:?}");
}

/// The streams of the model calls in a run, as a low-level caller would see them.
fn calls(events: &[AgentEvent]) -> Vec<Vec<AssistantMessageEvent>> {
    let mut calls: Vec<Vec<AssistantMessageEvent>> = Vec::new();
    for event in events {
        match event {
            AgentEvent::MessageStart(start) => {
                if let Message::Assistant(message) = &start.message {
                    let partial = message.clone();
                    calls.push(vec![AssistantMessageEvent::Start(StartEvent { partial })]);
                }
            }
            AgentEvent::MessageUpdate(update) => {
                let call = calls.last_mut().expect("a call");
                call.push(update.assistant_message_event.clone());
            }
            AgentEvent::MessageEnd(end) => {
                if let Message::Assistant(message) = end.message.clone() {
                    let reason = message.stop_reason;
                    let call = calls.last_mut().expect("a call");
                    call.push(match reason {
                        StopReason::Error | StopReason::Aborted => {
                            let error = message;
                            AssistantMessageEvent::Error(ErrorEvent { reason, error })
                        }
                        _ => AssistantMessageEvent::Done(DoneEvent { reason, message }),
                    });
                }
            }
            _ => {}
        }
    }
    calls
}
