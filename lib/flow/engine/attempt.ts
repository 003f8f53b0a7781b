// One attempt of one node: what the node may use, and what the attempt did.

import type { RenderAt } from '../expression/evaluation.ts';
import { type AttemptTime, createTime } from './attempt-time.ts';
import { leftOf } from './budget.ts';
import { createCallerText } from './caller-text.ts';
import { createCalls, type Trace } from './calls.ts';
import { callFlow, dropScope, endKnown, enterScope, type Host } from './child-scopes.ts';
import type { CompiledNode, NodeContext } from './node-context.ts';
import { msLeft, yields } from './run.ts';
import { type Cursor, type Entered, keepMemory } from './scope.ts';
import { untilStopped } from './stop.ts';

export interface Attempt {
  readonly context: NodeContext;
  /** What the attempt did, for its log entry. */
  readonly trace: Trace;
  readonly close: () => void;
}

export function createAttempt(cursor: Cursor, node: CompiledNode, entered: Entered): Attempt {
  const time = createTime(cursor, node, entered);
  const trace: Trace = {};
  return { context: contextOf({ cursor, node, entered, trace }, time), trace, close: time.close };
}

interface Attempting {
  readonly cursor: Cursor;
  readonly node: CompiledNode;
  readonly entered: Entered;
  readonly trace: Trace;
}

function contextOf(attempting: Attempting, time: AttemptTime): NodeContext {
  const { cursor, node, entered, trace } = attempting;
  const { run } = cursor;
  const { answer, isDue = false } = entered.woken ?? {};
  const host = (): Host => ({ cursor, entered, stop: time.stop() });
  return {
    ...createCalls(cursor, entered, time, trace),
    nodeId: node.id,
    key: entered.key,
    idempotencyKey: `${run.id}.${entered.key}`,
    at: renderAt(attempting, time),
    memory: entered.memory,
    answer,
    isDue,
    remember: async (memory) => {
      await time.pace();
      keepMemory(cursor, entered, memory);
      await untilStopped(time.stop(), run.keep());
    },
    enter: (name, entrance) => enterScope(host(), name, entrance),
    ended: (name) => entered.inner && endKnown(entered.inner, name),
    drop: (name) => entered.inner && dropScope(entered.inner, name),
    callFlow: (name, called) => callFlow(host(), name, called),
    isOver: () => yields(run),
    now: run.ports.clock.now,
    left: () => ({
      ...leftOf(cursor.budget),
      depth: Math.max(0, cursor.budget.limits.depth - cursor.chain.length),
      ms: msLeft(run),
    }),
    chain: cursor.chain,
    reply: (said) => run.ports.reply({ node_id: node.id, ...said }, entered.key),
    callerText: () => {
      const { text: tell } = run.ports;
      if (!tell || !cursor.isStreamed) return undefined;
      return createCallerText((text, chunk) => tell({ node_id: node.id, key: entered.key, text, chunk }));
    },
    goingOn: (message) =>
      run.log.node(node, cursor.place, {
        level: 'warn',
        event: 'retry',
        status: 'running',
        message,
        attempt: entered.attempt,
      }),
    note: ({ level = 'info', ...entry }) => {
      // Tokens that have an entry of their own are not told again with the node's.
      if (entry.tokens) delete trace.tokens;
      run.log.node(node, cursor.place, { level, status: 'running', ...entry });
    },
    within: async (part, run) => {
      const own = time.within(part);
      try {
        return await run(contextOf(attempting, own));
      } finally {
        own.close();
      }
    },
  };
}

function renderAt({ cursor, entered }: Attempting, { pace, compute }: AttemptTime): RenderAt {
  const { scope, run } = cursor;
  const answer = entered.woken?.answer;
  const { cpuMs } = run.ports.clock;
  return { scope: answer ? { ...scope, answer: answer.value } : scope, pace, cpuMs, compute, made: 0 };
}
