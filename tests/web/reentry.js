// Every exported method of an agent, called from inside every callback.

import { agentWith, answer, calls, check, done, equal, fetchOf, finish, last, never, record, rejection, said, same, sleep, soon, stillWorks, streamed, text, thrown, tool } from "./helpers.js";

/** Methods that end or throw away the run: each has its own scenario. */
const ENDING = ["abort", "reset", "free"];

/**
 * Calls everything that leaves the run as it is and checks that the effects are there at once.
 * Returns the names of what was called, and the rejections that are still to come.
 */
function useEverything(agent) {
  const used = new Set();
  const use = (name, ...args) => {
    used.add(name);
    return agent[name](...args);
  };
  const state = agent.state;
  used.add("state");
  used.add("signal");
  used.add("pendingApprovals");
  check(agent.pendingApprovals.every((id) => id.startsWith("c")), "calls wait for approval or none does");
  for (const name of ["approveToolCall", "denyToolCall"]) same(thrown(() => use(name, "x"), name).code, "invalid_argument", name);
  check(agent.signal instanceof AbortSignal, "there is a signal during a run");

  const unsubscribe = use("subscribe", () => {});
  unsubscribe();
  use("events").return();

  const note = { role: "user", content: "queued", timestamp: 1 };
  use("steer", note);
  use("followUp", note);
  check(use("hasQueuedMessages"), "messages wait");
  const waiting = use("peekQueuedMessages");
  check(waiting.steering.at(-1) === note && waiting.followUp.at(-1) === note, "both queues list the message");
  use("clearSteeringQueue");
  use("clearFollowUpQueue");
  check(!agent.hasQueuedMessages(), "no messages wait");
  agent.steer("text");
  use("clearAllQueues");
  check(!agent.hasQueuedMessages(), "no messages wait");

  const before = state.messages;
  use("appendMessage", note);
  same(state.messages.at(-1), note, "appendMessage");
  same(use("popMessage"), note, "popMessage");
  use("clearMessages");
  equal(state.messages, [], "clearMessages");
  use("replaceMessages", before);
  check(state.messages !== before && state.messages.every((message, index) => message === before[index]), "replaceMessages copies");

  const { systemPrompt, model, thinkingLevel, tools } = state;
  use("setSystemPrompt", "other");
  same(state.systemPrompt, "other", "setSystemPrompt");
  agent.setSystemPrompt(systemPrompt);
  const other = { ...model };
  use("setModel", other);
  same(state.model, other, "setModel");
  use("setThinkingLevel", "high");
  same(state.thinkingLevel, "high", "setThinkingLevel");
  agent.setThinkingLevel(thinkingLevel);
  const list = [...tools];
  use("setTools", list);
  same(state.tools, list, "setTools");
  use("setSteeringMode", "all");
  use("setFollowUpMode", "all");
  use("setInterruptMode", "wait");

  const busy = ["prompt", "continue", "retry"].map((name) => rejection(use(name, "x"), `${name} during a run`));
  used.add("waitForIdle");
  void agent.waitForIdle();
  return { used, busy };
}

/** Every place at which the agent calls the app. `at` is called with its name. */
function agentThatCalls(sluice, at, { streamFn } = {}) {
  const worker = {
    name: "work",
    description: "Works.",
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    prepareArguments(args) {
      at("prepareArguments");
      return args;
    },
    validate(args) {
      at("validate");
      return args;
    },
    needsApproval() {
      at("needsApproval");
      return true;
    },
    async execute(id, params, signal, onUpdate) {
      signal.addEventListener("abort", () => at("abort event of a tool"));
      onUpdate(said("half"));
      at("tool");
      await sleep(1);
      return said("done");
    },
  };
  const bodies = [calls(["c1", "work", { n: 1 }], ["c2", "work", { n: 2 }]), answer("ready")];
  let requests = 0;
  const hook = (name, result) => (argument) => {
    at(name);
    return result === undefined ? argument : result;
  };
  const fetch = (url, init) => {
    init.signal.addEventListener("abort", () => at("abort event of fetch"));
    at("fetch");
    const body = bodies[Math.min(requests++, 1)];
    const response = streamed(body);
    const reader = response.body.getReader();
    return {
      status: 200,
      headers: { get: (name) => (at("headers"), name === "content-type" ? "text/event-stream" : null) },
      body: { getReader: () => ({ read: () => (at("read"), reader.read()), cancel: () => (at("cancel"), reader.cancel()), releaseLock: () => reader.releaseLock() }) },
    };
  };
  const options = {
    tools: [worker],
    transformContext: hook("transformContext"),
    convertToLlm: hook("convertToLlm"),
    prepareRequest: hook("prepareRequest", null),
    finishTurn: hook("finishTurn", null),
    getApiKey: hook("getApiKey", "key"),
    beforeToolCall: hook("beforeToolCall", null),
    afterToolCall: hook("afterToolCall", null),
    onPayload: hook("onPayload"),
    onResponse: hook("onResponse", null),
  };
  const agent = agentWith(sluice, streamFn === undefined ? fetch : undefined, streamFn === undefined ? options : { ...options, streamFn });
  agent.subscribe((event) => {
    at(event.type);
    // The run may have been ended in there.
    if (event.type === "tool_approval_request" && waits(agent, event.toolCallId)) agent.approveToolCall(event.toolCallId);
  });
  return agent;
}

function waits(agent, id) {
  try {
    return agent.pendingApprovals.includes(id);
  } catch {
    return false;
  }
}

/** A source of responses that calls `at` wherever the agent calls it. */
function sourceThatCalls(at) {
  let calls = 0;
  return (model, context, { signal }) => {
    signal.addEventListener("abort", () => at("abort event of streamFn"));
    at("streamFn");
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const turns = [
      [
        { type: "toolcall_start", contentIndex: 0, toolCall: { type: "toolCall", id: "c1", name: "work", arguments: {} } },
        { type: "toolcall_delta", contentIndex: 0, delta: '{"n":1}' },
        { type: "toolcall_end", contentIndex: 0 },
        { type: "done", reason: "toolUse", message: { role: "assistant", stopReason: "toolUse", usage, content: [] } },
      ],
      [
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "ready" },
        { type: "text_end", contentIndex: 0, content: "ready" },
        { type: "done", reason: "stop", message: { role: "assistant", stopReason: "stop", usage, content: [] } },
      ],
    ];
    const events = turns[Math.min(calls++, 1)];
    let taken = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        next() {
          at("next");
          return Promise.resolve(taken < events.length ? { value: events[taken++], done: false } : { value: undefined, done: true });
        },
        return() {
          at("return");
          return Promise.resolve({ value: undefined, done: true });
        },
      }),
    };
  };
}

const LISTENER_PLACES = [
  "agent_start", "turn_start", "message_start", "message_update", "message_end", "tool_execution_start", "tool_approval_request", "tool_execution_update", "tool_execution_end", "turn_end", "agent_end",
];
const HOOK_PLACES = [
  "prepareRequest", "transformContext", "convertToLlm", "getApiKey", "beforeToolCall", "prepareArguments", "validate", "needsApproval", "tool", "afterToolCall", "finishTurn",
];
const WIRE_PLACES = [...LISTENER_PLACES, ...HOOK_PLACES, "onPayload", "onResponse", "fetch", "headers", "read"];
const SOURCE_PLACES = [...LISTENER_PLACES, ...HOOK_PLACES, "streamFn", "next", "return"];

/** Places that only an abort leads to, and where it has to come: when a response arrives, or while a tool runs. */
const WIRE_ABORTS = { "abort event of fetch": "message_start", cancel: "message_start", "abort event of a tool": "tool_execution_update" };
const SOURCE_ABORTS = { "abort event of streamFn": "message_start", return: "message_start", "abort event of a tool": "tool_execution_update" };

/** An agent with callbacks for everything, and the places at which they are called. */
function variant(sluice, isSource, at) {
  const self = {};
  const place = (name) => at(name, self.agent);
  self.agent = agentThatCalls(sluice, place, isSource ? { streamFn: sourceThatCalls(place) } : {});
  return self.agent;
}

export async function every_method_works_inside_every_callback(sluice) {
  for (const isSource of [false, true]) {
    const places = new Set();
    const problems = [];
    const busy = [];
    const used = new Set();
    const agent = variant(sluice, isSource, (name, agent) => {
      places.add(name);
      try {
        const outcome = useEverything(agent);
        busy.push(...outcome.busy);
        for (const method of outcome.used) used.add(method);
      } catch (error) {
        problems.push(`${name}: ${error}`);
      }
    });
    const log = record(agent);
    await soon(agent.prompt("go"), "the prompt");
    equal(problems, [], "problems");
    equal([...places].sort(), [...(isSource ? SOURCE_PLACES : WIRE_PLACES)].sort(), "the places at which the agent called");
    for (const error of await Promise.all(busy)) same(error.code, "busy", "the code of a refusal");
    const prototype = Object.getOwnPropertyNames(sluice.Agent.prototype).filter((name) => name !== "constructor" && !name.startsWith("__"));
    equal([...used, ...ENDING].sort(), prototype.sort(), "every exported method is called here");
    same(log.reason(), "done", "the reason");
    same(last(agent).content[0].text, "ready", "the answer");
    log.verify(sluice);
    await soon(agent.waitForIdle(), "waitForIdle");
  }
}

export async function every_method_works_inside_what_an_abort_calls(sluice) {
  for (const [isSource, aborts] of [[false, WIRE_ABORTS], [true, SOURCE_ABORTS]]) {
    for (const [place, cause] of Object.entries(aborts)) {
      const problems = [];
      const busy = [];
      let isAborted = false;
      let isReached = false;
      const agent = variant(sluice, isSource, (name, agent) => {
        if (!isAborted && name === cause && agent.state.messages.length > 0) {
          isAborted = true;
          agent.abort();
        }
        if (name !== place || isReached) return;
        isReached = true;
        try {
          busy.push(...useEverything(agent).busy);
          agent.abort("again");
        } catch (error) {
          problems.push(`${place}: ${error}`);
        }
      });
      const log = record(agent);
      await soon(agent.prompt("go"), `the prompt, aborted for ${place}`);
      equal(problems, [], "problems");
      check(isReached, `${place} was reached`);
      for (const error of await Promise.all(busy)) same(error.code, "busy", "the code of a refusal");
      same(log.reason(), "aborted", `the reason, in ${place}`);
      log.verify(sluice);
      log.stop();
      await stillWorks(sluice, agent);
    }
  }
}

async function endAtEveryPlace(sluice, end, verify, { withAbortEvents = true } = {}) {
  for (const isSource of [false, true]) {
    const places = isSource ? [...SOURCE_PLACES] : [...WIRE_PLACES];
    if (withAbortEvents) places.push(...Object.keys(isSource ? SOURCE_ABORTS : WIRE_ABORTS));
    for (const place of places) {
      let problem;
      let armed = true;
      const agent = variant(sluice, isSource, (name, agent) => {
        if (armed && name === { ...SOURCE_ABORTS, ...WIRE_ABORTS }[place] && agent.state.messages.length > 0) agent.abort();
        if (!armed || name !== place) return;
        armed = false;
        try {
          end(agent);
        } catch (error) {
          problem = error;
        }
      });
      const log = record(agent);
      await soon(agent.prompt("go"), `the prompt, ended in ${place}`);
      check(problem === undefined, `in ${place}: ${problem}`);
      check(!armed, `${place} was reached`);
      await verify({ agent, log, place });
    }
  }
}

export async function abort_works_inside_every_callback(sluice) {
  await endAtEveryPlace(sluice, (agent) => agent.abort(), async ({ agent, log, place }) => {
    same(log.reason(), place === "agent_end" ? "done" : "aborted", `the reason of an abort in ${place}`);
    log.verify(sluice);
    log.stop();
    await stillWorks(sluice, agent);
  });
}

export async function reset_works_inside_every_callback(sluice) {
  await endAtEveryPlace(sluice, (agent) => agent.reset(), async ({ agent, log, place }) => {
    equal(agent.state.messages, [], `the transcript after a reset in ${place}`);
    same(agent.state.error, undefined, `the error after a reset in ${place}`);
    same(agent.state.streamMessage, null, `streamMessage after a reset in ${place}`);
    log.verify(sluice);
    log.stop();
    await stillWorks(sluice, agent);
  });
}

export async function free_works_inside_every_callback(sluice) {
  await endAtEveryPlace(sluice, (agent) => agent.free(), async ({ log, place }) => {
    check(log.reason() !== undefined, `the run ends after free in ${place}`);
    log.verify(sluice);
  }, { withAbortEvents: false });
}

export async function free_is_refused_only_while_abort_runs(sluice) {
  // An abort event comes while `abort` is on the stack; freeing there must not corrupt anything.
  const agent = agentWith(sluice, never);
  const running = agent.prompt("x");
  await sleep(5);
  let problem;
  agent.signal.addEventListener("abort", () => {
    try {
      agent.free();
    } catch (error) {
      problem = error;
    }
  });
  agent.abort();
  await soon(running, "the prompt");
  check(problem === undefined || /borrowed/.test(String(problem)), `free within abort: ${problem}`);
}

export async function a_run_can_be_used_from_outside_at_once(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("a")));
  const running = agent.prompt("a");
  check(agent.state.isStreaming, "isStreaming as soon as prompt returns");
  agent.steer("more");
  agent.abort();
  await soon(running, "the prompt");
  check(agent.hasQueuedMessages(), "what the aborted run did not take still waits");
  await agent.prompt("b");
  const texts = agent.state.messages.filter((message) => message.role === "user").map((message) => message.content[0].text);
  equal(texts, ["a", "more", "b"], "the messages, each once");
}

export async function a_second_prompt_is_refused_and_the_first_unaffected(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("one")));
  const first = agent.prompt("a");
  const second = rejection(agent.prompt("b"), "the second prompt");
  const error = await second;
  check(error instanceof Error && error.code === "busy", `a busy error, not ${error}`);
  await first;
  equal(agent.state.messages.length, 2, "the messages of the first prompt");
}

export async function a_prompt_in_agent_end_is_refused(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("one")));
  let refused;
  agent.subscribe((event) => {
    if (event.type === "agent_end") refused = rejection(agent.prompt("again"), "prompt in agent_end");
  });
  await agent.prompt("a");
  same((await refused).code, "busy", "the code");
  equal(agent.state.messages.length, 2, "nothing was added");
}

export async function after_a_prompt_the_agent_is_idle(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("one")));
  for (let count = 0; count < 100; count++) {
    await agent.prompt("a");
    check(!agent.state.isStreaming && agent.signal === undefined, "idle when the prompt resolves");
  }
}

export async function freeing_in_the_middle_lets_the_run_end(sluice) {
  const agent = agentWith(sluice, fetchOf([text("a"), text("b"), finish(), done]));
  const log = record(agent);
  const running = agent.prompt("x");
  agent.free();
  await soon(running, "the prompt");
  same(log.reason(), "done", "the reason");
}

export async function getters_of_the_page_may_throw_and_reenter(sluice) {
  let agent;
  const hostile = (fields) =>
    new Proxy(fields, {
      get(target, key) {
        if (agent !== undefined) agent.state;
        if (key === "then") return undefined;
        if (typeof key === "string" && key.startsWith("bad")) throw new Error("hostile");
        return target[key];
      },
    });
  agent = agentWith(sluice, fetchOf(calls(["c", "f", {}]), answer("ok")), {
    tools: [hostile(tool("f", () => hostile(said("x"))))],
    beforeToolCall: () => hostile({}),
    afterToolCall: () => hostile({}),
  });
  await agent.prompt(hostile({ role: "user", content: "hi", timestamp: 1, bad: 1 }));
  same(last(agent).stopReason, "stop", "the run ends well");
  let reads = 0;
  await agent.prompt({
    role: "user",
    get content() {
      if (reads++ === 0) return "for now";
      throw new Error("no content");
    },
  });
  same(last(agent).stopReason, "error", "a message that cannot be read fails the call");
}
