// Listeners: order, failures, promises that never settle, and updates that come too late.

import { agentWith, answer, calls, check, deferred, equal, fetchOf, last, never, record, rejection, said, same, sleep, soon, stillWorks, takePageErrors, tool } from "./helpers.js";

export async function a_listener_that_throws_touches_nobody(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  let thrown = 0;
  agent.subscribe(() => {
    thrown++;
    throw new Error("listener");
  });
  const log = record(agent);
  await soon(agent.prompt("x"), "the prompt");
  same(log.reason(), "done", "the reason");
  log.verify(sluice);
  await sleep(10);
  const reported = takePageErrors();
  equal(reported.length, thrown, "each failure is reported once");
  check(reported.every((error) => error.message === "listener"), "the page's own error is reported");
}

export async function a_listener_that_rejects_is_reported_once(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  agent.subscribe(async (event) => {
    if (event.type === "turn_start") throw new Error("async listener");
  });
  const log = record(agent);
  await soon(agent.prompt("x"), "the prompt");
  log.verify(sluice);
  await sleep(20);
  equal(takePageErrors().map(String), ["Error: async listener"], "reported");
}

export async function a_thenable_of_another_kind_is_awaited(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const order = [];
  agent.subscribe((event) => {
    if (event.type !== "turn_start") return undefined;
    return { then: (resolve) => setTimeout(() => (order.push("first"), resolve()), 10) };
  });
  agent.subscribe((event) => {
    if (event.type === "turn_start") order.push("second");
  });
  await soon(agent.prompt("x"), "the prompt");
  equal(order, ["first", "second"], "the order");
}

export async function whatever_a_listener_returns_is_survived(sluice) {
  const hostile = { get then() { throw new Error("no then"); } };
  const failing = { then() { throw new Error("then failed"); } };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [value, reported] of [[5, 0], [null, 0], [hostile, 1], [failing, 1], [proxy, 1], [{ then: 5 }, 0]]) {
    const agent = agentWith(sluice, fetchOf(answer("hi")));
    agent.subscribe((event) => (event.type === "message_update" ? value : undefined));
    const log = record(agent);
    await soon(agent.prompt("x"), "the prompt");
    same(log.reason(), "done", "the reason");
    log.verify(sluice);
    await sleep(10);
    equal(takePageErrors().length > 0, reported > 0, "whether it is reported");
  }
  const called = [];
  const asFunction = Object.assign(() => {}, { then: (resolve) => setTimeout(() => (called.push("awaited"), resolve()), 5) });
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  agent.subscribe((event) => (event.type === "turn_start" ? asFunction : called.push(event.type)));
  await soon(agent.prompt("x"), "the prompt");
  equal(called.slice(0, 3), ["agent_start", "awaited", "message_start"], "a function with then is awaited");
}

export async function a_promise_is_awaited_before_anything_else(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("one two three four")));
  const order = [];
  agent.subscribe(async (event) => {
    order.push(`+${event.type}`);
    await sleep(2);
    order.push(`-${event.type}`);
  });
  agent.subscribe((event) => {
    order.push(`=${event.type}`);
  });
  await agent.prompt("x");
  for (let index = 0; index < order.length; index += 3) {
    const type = order[index].slice(1);
    equal(order.slice(index, index + 3), [`+${type}`, `-${type}`, `=${type}`], "the listeners of one event");
  }
}

export async function the_prompt_resolves_after_its_listeners(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("x")));
  let isThrough = false;
  agent.subscribe(async (event) => {
    if (event.type !== "agent_end") return;
    await sleep(20);
    isThrough = true;
  });
  await agent.prompt("x");
  check(isThrough, "the listener of agent_end was awaited");
}

export async function abort_lets_go_of_a_listener_that_never_settles(sluice) {
  for (const type of ["agent_start", "message_start", "message_update", "message_end", "turn_end", "agent_end"]) {
    const agent = agentWith(sluice, fetchOf(answer("hi")));
    let isHanging = false;
    const unsubscribe = agent.subscribe((event) => {
      if (event.type !== type || isHanging) return undefined;
      isHanging = true;
      return never();
    });
    const log = record(agent);
    const running = agent.prompt("x");
    await sleep(20);
    check(isHanging, `a listener hangs in ${type}`);
    const began = performance.now();
    agent.abort("enough");
    await soon(running, `the prompt with a listener that hangs in ${type}`, 2500);
    check(performance.now() - began > 500, "listeners are given some time");
    log.verify(sluice);
    log.stop();
    unsubscribe();
    if (type === "message_update") await stillWorks(sluice, agent);
  }
}

export async function what_the_last_listeners_queue_is_delivered_now_or_next(sluice) {
  const next = { prompt: (agent) => agent.prompt("next"), continue: (agent) => agent.continue() };
  for (const name of ["steer", "followUp"]) {
    for (const type of ["turn_end", "agent_end"]) {
      for (const [how, goOn] of Object.entries(next)) {
        const what = `${name}() in ${type}, then ${how}()`;
        const agent = agentWith(sluice, fetchOf(answer("ok")));
        const log = record(agent);
        let isFirst = true;
        agent.subscribe((event) => {
          if (event.type !== type || !isFirst) return;
          isFirst = false;
          agent[name]("late");
        });
        await soon(agent.prompt("go"), what);
        same(agent.hasQueuedMessages(), type === "agent_end", `${what}: whether it is still listed`);
        const isOver = type === "turn_end" && how === "continue";
        if (isOver) same((await rejection(goOn(agent), what)).code, "nothing_to_continue", what);
        else await soon(goOn(agent), what);
        const texts = agent.state.messages.filter((message) => message.role === "user").map((message) => message.content[0].text);
        equal(texts.filter((text) => text === "late"), ["late"], `${what}: delivered once`);
        check(!agent.hasQueuedMessages(), `${what}: nothing waits`);
        log.verify(sluice);
      }
    }
  }
}

export async function unsubscribing_in_a_listener_spares_the_others(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const calls = { first: 0, second: 0, third: 0 };
  let leaveSecond;
  const leaveFirst = agent.subscribe(() => {
    calls.first++;
    leaveFirst();
    leaveSecond();
  });
  leaveSecond = agent.subscribe(() => {
    calls.second++;
  });
  agent.subscribe(() => {
    calls.third++;
  });
  await agent.prompt("x");
  equal([calls.first, calls.second], [1, 0], "nobody is called behind leaving, not even for the event at hand");
  check(calls.third > 5, "the other got all");
  leaveFirst();
}

export async function a_listener_that_left_while_another_was_waited_for_is_not_called(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const heard = [];
  let leave;
  agent.subscribe(async ({ type }) => {
    await undefined;
    if (type === "turn_start") leave();
  });
  leave = agent.subscribe(({ type }) => {
    heard.push(type);
  });
  await agent.prompt("x");
  equal(heard, ["agent_start"], "events of the listener that left");
}

export async function subscribing_in_a_listener_starts_with_the_next_event(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const late = [];
  let isSubscribed = false;
  agent.subscribe(() => {
    if (isSubscribed) return;
    isSubscribed = true;
    agent.subscribe((event) => {
      late.push(event.type);
    });
  });
  await agent.prompt("x");
  same(late[0], "turn_start", "the first event of the new listener");
}

export async function one_function_may_listen_twice(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  let count = 0;
  const listener = (event) => {
    if (event.type === "agent_end") count++;
  };
  const leave = agent.subscribe(listener);
  agent.subscribe(listener);
  await agent.prompt("x");
  same(count, 2, "called twice");
  leave();
  leave();
  await agent.prompt("x");
  same(count, 3, "one subscription is left");
}

export async function a_listener_gets_the_signal_of_the_run(sluice) {
  const agent = agentWith(sluice, fetchOf(answer("hi")));
  const signals = new Set();
  agent.subscribe((event, signal) => {
    signals.add(signal);
    same(signal, agent.signal, "the signal");
  });
  await agent.prompt("x");
  await agent.prompt("y");
  equal(signals.size, 2, "each run has its own signal");
}

/** Runs a tool that keeps `onUpdate`, and gives it back. */
function agentWithLateTool(sluice, execute) {
  const kept = {};
  const late = tool("late", (id, params, signal, onUpdate) => {
    kept.onUpdate = onUpdate;
    return execute();
  });
  const agent = agentWith(sluice, fetchOf(calls(["c", "late"]), answer("ok")), { tools: [late] });
  return { agent, kept, log: record(agent) };
}

export async function an_update_after_the_tool_settled_is_ignored(sluice) {
  const { agent, kept, log } = agentWithLateTool(sluice, () => said("x"));
  agent.subscribe((event) => {
    if (event.type === "tool_execution_end") kept.onUpdate(said("late"));
  });
  await agent.prompt("go");
  const count = log.events.length;
  kept.onUpdate(said("later"));
  await sleep(10);
  equal(log.events.length, count, "no event came");
  equal(log.of("tool_execution_update"), [], "no updates");
  log.verify(sluice);
}

export async function an_update_after_an_abort_is_ignored(sluice) {
  const { promise, resolve } = deferred();
  const { agent, kept, log } = agentWithLateTool(sluice, () => promise);
  const running = agent.prompt("go");
  await sleep(20);
  agent.abort();
  kept.onUpdate(said("late"));
  await soon(running, "the prompt");
  const count = log.events.length;
  kept.onUpdate(said("later"));
  resolve(said("finished after all"));
  await sleep(20);
  kept.onUpdate(said("much later"));
  await sleep(10);
  equal(log.events.length, count, "no event came");
  equal(log.of("tool_execution_update"), [], "no updates");
  log.verify(sluice);
}

export async function an_update_after_free_is_ignored(sluice) {
  const { agent, kept } = agentWithLateTool(sluice, () => said("x"));
  await agent.prompt("go");
  agent.free();
  kept.onUpdate(said("late"));
  kept.onUpdate();
  await sleep(20);
}

export async function updates_come_in_order_and_before_the_end(sluice) {
  const steps = tool("steps", async (id, params, signal, onUpdate) => {
    for (let step = 1; step <= 5; step++) onUpdate({ content: [], details: step });
    return said("x");
  });
  const agent = agentWith(sluice, fetchOf(calls(["c", "steps"]), answer("ok")), { tools: [steps] });
  const log = record(agent);
  await agent.prompt("go");
  equal(log.of("tool_execution_update").map((event) => event.partialResult.details), [1, 2, 3, 4, 5], "the updates");
  log.verify(sluice);
  same(last(agent).stopReason, "stop", "the run ends well");
}

export async function pending_tool_calls_follow_the_tools(sluice) {
  const agent = agentWith(sluice, fetchOf(calls(["a", "f"], ["b", "f"]), answer("ok")), { tools: [tool("f", async () => (await sleep(2), said("x")))] });
  const seen = [];
  const sets = new Set();
  agent.subscribe((event) => {
    if (event.type.startsWith("tool_execution")) {
      seen.push([...agent.state.pendingToolCalls].join());
      sets.add(agent.state.pendingToolCalls);
    }
  });
  await agent.prompt("go");
  equal(seen, ["a", "a,b", "b", ""], "pendingToolCalls at each event");
  equal(sets.size, 4, "a new set each time");
  equal(agent.state.pendingToolCalls.size, 0, "none at the end");
}
