// Random schedules: whatever happens in which order, the laws hold, no message is lost and the page sees no error.

import { agentWith, answer, call, calls, check, equal, last, never, open, random, record, said, same, sleep, soon, streamed, text, tool } from "./helpers.js";

const TOOLS = {
  fast: () => said("fast"),
  slow: () => sleep(3).then(() => said("slow")),
  bad: () => { throw new Error("bad"); },
  hang: () => never(),
  report: async (id, params, signal, onUpdate) => {
    onUpdate(said("one"));
    await sleep(1);
    onUpdate(said("two"));
    return said("done");
  },
  late: (id, params, signal, onUpdate) => {
    setTimeout(() => onUpdate(said("too late")), 5);
    return said("done");
  },
  enough: () => ({ ...said("enough"), terminate: true }),
  ask: () => said("approved"),
};

const EVENTS = [
  "agent_start", "turn_start", "message_start", "message_update", "message_end", "tool_execution_start", "tool_approval_request", "tool_execution_update",
  "tool_execution_end", "turn_end", "auto_retry_start", "auto_retry_end", "agent_end",
];

/** A source of chance, the same for the same seed. */
function chanceOf(seed) {
  const next = random(seed);
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)], odds: (p) => next() < p };
}

/** A `fetch` whose answers are drawn, and plain after a while. */
function drawnFetch({ below, pick, odds }) {
  let count = 0;
  return async () => {
    if (count++ > 6) return streamed(answer("Ok."));
    if (odds(0.1)) throw new TypeError("Failed to fetch");
    if (odds(0.1)) return new Response("{}", { status: pick([401, 429, 500, 503]) });
    if (odds(0.05)) return open([text("silent")]);
    if (odds(0.15)) return streamed([text("cut"), call(0, "c", pick(Object.keys(TOOLS)), '{"a":')]);
    if (odds(0.4)) return streamed(answer("Ok."));
    const names = Array.from({ length: 1 + below(3) }, () => pick([...Object.keys(TOOLS), "nope"]));
    return streamed(calls(...names.map((name, index) => [`${count}_${index}`, name, { n: index }])));
  };
}

export async function whatever_happens_the_laws_hold_and_no_message_is_lost(sluice) {
  for (let seed = 1; seed <= 60; seed++) {
    const chance = chanceOf(seed);
    const { below, pick, odds } = chance;
    const hook = (result) => () => {
      if (odds(0.05)) throw new Error("a hook fails");
      return odds(0.03) ? never() : result;
    };
    const agent = agentWith(sluice, drawnFetch(chance), {
      tools: Object.entries(TOOLS).map(([name, execute]) => tool(name, execute, { needsApproval: name === "ask" })),
      retry: odds(0.7) && { maxAttempts: below(3), baseDelayMs: below(4) },
      toolExecution: pick(["parallel", "sequential"]),
      interruptMode: pick(["immediate", "wait"]),
      steeringMode: pick(["one-at-a-time", "all"]),
      followUpMode: pick(["one-at-a-time", "all"]),
      maxTurns: 2 + below(6),
      toolTimeoutMs: 15,
      hookTimeoutMs: 15,
      idleTimeoutMs: 25,
      beforeToolCall: hook(undefined),
      afterToolCall: hook(undefined),
      prepareRequest: hook(undefined),
      finishTurn: () => (odds(0.1) ? pick(["end", "continue"]) : undefined),
    });
    const log = record(agent);
    const accepted = [];
    let isFreed = false;
    const queue = (name) => {
      const message = { role: "user", content: `${name} ${accepted.length}`, timestamp: 1 };
      agent[name](message);
      accepted.push(message);
    };
    const plan = Array.from({ length: 4 }, () => ({ type: pick(EVENTS), at: below(3), deed: pick(["steer", "followUp", "steer", "followUp", "abort"]) }));
    const seen = {};
    agent.subscribe((event) => {
      seen[event.type] = (seen[event.type] ?? 0) + 1;
      if (event.type === "tool_approval_request") {
        const { toolCallId: id } = event;
        setTimeout(() => {
          if (isFreed) return;
          if (agent.pendingApprovals.includes(id)) odds(0.5) ? agent.approveToolCall(id) : agent.denyToolCall(id, "No.");
        }, below(5));
      }
      for (const { type, at, deed } of plan) {
        if (type !== event.type || at !== seen[type] - 1) continue;
        if (deed === "abort") agent.abort();
        else queue(deed);
      }
    });
    for (let run = 0; run < 3; run++) {
      const running = agent.prompt(`prompt ${run}`);
      const leaving = odds(0.2) ? setTimeout(() => agent.abort("the user left"), below(20)) : undefined;
      await soon(running, `run ${run} of seed ${seed}`);
      clearTimeout(leaving);
      const { steering, followUp } = agent.peekQueuedMessages();
      const waiting = [...steering, ...followUp];
      for (const message of accepted) {
        const count = [...agent.state.messages, ...waiting].filter((other) => other === message).length;
        same(count, 1, `seed ${seed}: how often "${message.content}" is there`);
      }
      check(!agent.state.isStreaming && agent.state.pendingToolCalls.size === 0, `seed ${seed}: the agent is idle`);
      equal(agent.pendingApprovals, [], `seed ${seed}: what waits for approval`);
    }
    const unanswered = new Set();
    for (const message of agent.state.messages) {
      if (message.role === "assistant") for (const block of message.content) if (block.type === "toolCall") unanswered.add(block.id);
      if (message.role === "toolResult") check(unanswered.delete(message.toolCallId), `seed ${seed}: a result has its call`);
    }
    same(unanswered.size, 0, `seed ${seed}: calls without results`);
    check(last(agent) !== undefined, "there is a transcript");
    const { length } = log.events;
    await sleep(8);
    same(log.events.length, length, `seed ${seed}: silence after the end`);
    log.verify(sluice);
    log.stop();
    isFreed = true;
    agent.free();
  }
}
