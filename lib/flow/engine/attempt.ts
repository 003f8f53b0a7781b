// One attempt of one node: its time limit, and what the node may use meanwhile. Calls of ports end with that
// time, are counted against the budget, and never go deeper than the chain of calls may grow.
import { truncate } from '#lib/truncate.ts';
import { answerScope } from '../expression/answer-message.ts';
import { type Compute, computeFor } from '../expression/compute.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { addTokens, type Tokens } from '../format/tokens.ts';
import type { AgentAnswer, AgentRequest } from '../ports/agent.ts';
import type { ModelAnswer, ModelRequest } from '../ports/model.ts';
import type { NodeCall } from '../ports/node-call.ts';
import { countAgent, countTokens, remaining, takeModelCall } from './budget.ts';
import { createCallerText } from './caller-text.ts';
import type {
  AttemptContext,
  Calls,
  CompiledNode,
  ExecutionFacts,
  FlowRequest,
  Notes,
  Replies,
  TimeLimit,
} from './node-context.ts';
import type { Ports } from './ports.ts';
import { dropTask, isOpenState, noteTask, openTask, withoutAnswered } from './remote-tasks.ts';
import { msLeft, yields } from './run.ts';
import { logKept, logNode, type Trace } from './run-log.ts';
import { type Cursor, keepMemory, keepTasks, type NodeExecution } from './scope.ts';
import { createStop, ignore, type Stop, untilStopped } from './stop.ts';

export interface Attempt {
  readonly cursor: Cursor;
  readonly node: CompiledNode;
  readonly execution: NodeExecution;
  readonly time: AttemptTime;
  /** What the templates of the node see, and when they have to stop. */
  readonly at: RenderAt;
  readonly trace: Trace;
}

export function createAttempt(cursor: Cursor, node: CompiledNode, execution: NodeExecution): Attempt {
  const time = createTime(cursor, node, execution);
  const { key, startedAt } = execution;
  const own = {
    execution: { key, startedAt, evaluations: 0 },
    noteKept: (count: number) => logKept(cursor, node, '$parse', count),
  };
  return { cursor, node, execution, time, at: renderAt(cursor, execution, time, own), trace: {} };
}

/** What `catch` assigns after the execution failed. The time of the last attempt may be over. */
export function createCatchAttempt(cursor: Cursor, node: CompiledNode, execution: NodeExecution): Attempt {
  return createAttempt(cursor, node, { ...execution, key: `${execution.key}.catch` });
}

/** The same attempt with less time, for a part of it. */
export function withinTime(attempt: Attempt, limit: TimeLimit): Attempt {
  const { cursor, execution } = attempt;
  const time = attempt.time.within(limit);
  return { ...attempt, time, at: renderAt(cursor, execution, time, attempt.at) };
}

export const attemptContext = (attempt: Attempt): AttemptContext => ({
  ...createFacts(attempt),
  ...createCalls(attempt),
  ...createReplies(attempt),
  ...createNotes(attempt),
  remember: async (memory) => {
    const { cursor, execution, time } = attempt;
    await time.pace();
    keepMemory(cursor, execution, memory);
    await untilStopped(time.stop(), cursor.run.keep());
  },
});

function renderAt(
  { scope, run }: Cursor,
  { resumeReason }: NodeExecution,
  { pace, compute }: AttemptTime,
  { execution, noteKept }: Pick<RenderAt, 'execution' | 'noteKept'>,
): RenderAt {
  const answer = resumeReason?.answer;
  const { cpuMs } = run.ports.clock;
  const seen = answer ? { ...scope, ...answerScope(answer) } : scope;
  return { scope: seen, ...(execution && { execution }), noteKept, pace, cpuMs, compute, made: 0 };
}

function createFacts({ cursor, node, execution, at }: Attempt): ExecutionFacts {
  const { run, chain, budget } = cursor;
  const { answer, isDue = false } = execution.resumeReason ?? {};
  return {
    nodeId: node.id,
    key: execution.key,
    idempotencyKey: `${run.id}.${execution.key}`,
    at,
    memory: execution.memory,
    answer,
    isDue,
    attempt: execution.attempt,
    taskPatienceMs: Math.max(0, Math.min(run.taskPatienceMs, run.yieldAt - run.ports.clock.monotonic())),
    contexts: cursor.contexts,
    chain,
    isOver: () => yields(run),
    hasConversation: cursor.ports.store?.hasContext ?? false,
    now: run.ports.clock.now,
    left: () => ({
      ...remaining(budget),
      depth: Math.max(0, budget.limits.depth - chain.length),
      ms: msLeft(run),
    }),
  };
}

function createCalls({ cursor, node, execution, time, trace }: Attempt): Calls {
  const { ports } = cursor;
  const { key } = execution;
  const { callPort } = time;
  const findWatcher = (call: NodeCall) =>
    node.holdsText || cursor.isQuiet ? undefined : textSender(ports, key, call);
  return {
    model: async (request, onText) => {
      const answer = await countModelCall(cursor, trace, () =>
        callPort((call) => askModel(ports, request, onText ?? findWatcher(call), call)),
      );
      if (answer.kept) logKept(cursor, node, 'output', answer.kept);
      return answer;
    },
    http: async (request) => {
      const host = URL.parse(request.url)?.host ?? '';
      const answer = await callPort(async (call) => {
        const leave = await cursor.run.hosts.enter(host, request.maxConcurrency, call.signal);
        return await ports.http(request, call).finally(leave);
      });
      trace.http = { host, status: answer.status };
      if (answer.kept) logKept(cursor, node, 'body', answer.kept);
      return answer;
    },
    findFile: (id) => callPort(({ signal }) => requirePort(ports.files, 'file').find(id, signal)),
    mcpTools: (server) => callPort((call) => requirePort(ports.mcp, 'mcp').list(server, call)),
    mcpCall: async (server, tool, args) => {
      const answer = await callPort((call) => requirePort(ports.mcp, 'mcp').call(server, tool, args, call));
      if (answer.kept) logKept(cursor, node, `result of ${tool}`, answer.kept);
      return answer;
    },
    agent: async (request, isLast = false) => {
      checkDepth(cursor);
      const answer = await callAgent(cursor, execution, time, { request, isLast });
      if (answer.used) countAgent(cursor.budget, answer.used);
      return answer;
    },
    discover: (filter) => callPort((call) => requirePort(ports.discover, 'a2a')(filter, call)),
    readStored: (key) => callPort((call) => requirePort(ports.store, 'store').read(key, call)),
    writeStored: (write) => callPort((call) => requirePort(ports.store, 'store').write(write, call)),
    sleep: (ms) => callPort((call) => cursor.run.ports.clock.sleep(ms, call.signal)),
    runCode: (request) => callPort((call) => requirePort(cursor.run.ports.code, 'code')(request, call)),
    findFlow: async (request) => {
      checkChain(cursor, request);
      return await callPort((call) => requirePort(ports.flows, 'flow')(request, call));
    },
  };
}

interface AgentCall {
  readonly request: AgentRequest;
  readonly isLast: boolean;
}

/**
 * The execution waits for the task until it has ended, or the call fails for another reason than the end of the
 * run.
 */
async function callAgent(
  cursor: Cursor,
  execution: NodeExecution,
  { callPort, stop }: AttemptTime,
  { request, isLast }: AgentCall,
): Promise<AgentAnswer> {
  const { run, budget, flow, ports } = cursor;
  const { tasks, attempt } = execution;
  const declaration = flow.connections[request.connection ?? ''];
  const open = openTask(tasks, request, { attempt, budget, declaration, now: run.ports.clock.now() });
  const sent = withoutAnswered(request, attempt, open);
  const note = (id?: string) => noteTask(tasks, open, { request: sent, attempt, id });
  let kept: Promise<void> | undefined;
  const onTask = (id?: string) => {
    if (!note(id)) return undefined;
    kept = run.keep();
    return kept.catch(ignore);
  };
  try {
    const answer = await callPort((call) => requirePort(ports.agent, 'a2a')(sent, { ...call, onTask }));
    await kept;
    if (answer.task_id !== undefined) note(answer.task_id);
    if (!isOpenState(answer.state) || open.task.task_id === undefined) tasks.delete(open);
    else if (isLast || answer.state === 'auth_required') dropTask(cursor, execution, open);
    keepTasks(cursor, execution);
    return answer;
  } catch (error) {
    if (run.stop.error()) throw error;
    // A message that failed by itself has no task that is known, unlike one whose time was over.
    if (open.task.task_id === undefined && !stop().error()) tasks.delete(open);
    else dropTask(cursor, execution, open);
    throw error;
  }
}

function requirePort<T>(port: T | undefined, family: string): T {
  if (port) return port;
  throw new NodeError(`${family}.unavailable`, `This run has no access to what \`${family}\` nodes use.`);
}

/**
 * Every call counts, including one that fails. Tokens count as the provider reports them, also for a refused
 * answer.
 */
async function countModelCall(
  cursor: Cursor,
  trace: Trace,
  call: () => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const count = (tokens: Tokens) => {
    trace.tokens = trace.tokens ? addTokens(trace.tokens, tokens) : tokens;
    countTokens(cursor.budget, tokens.input + tokens.output);
  };
  takeModelCall(cursor.budget);
  try {
    const answer = await call();
    if (answer.finish_reason) trace.finish_reason = answer.finish_reason;
    count(answer.tokens);
    return answer;
  } catch (error) {
    if (error instanceof NodeError && error.tokens) count(error.tokens);
    throw error;
  }
}

/** Those who watch the run see what every model writes; the caller of the run does not. */
const textSender = ({ text }: Ports, key: string, { nodeId: node_id }: NodeCall) =>
  text && ((piece: string) => text({ node_id, key, text: piece }));

/** A model that answers with an object writes JSON, of which no pieces are sent. */
async function askModel(
  { model }: Ports,
  request: ModelRequest,
  onPiece: ((piece: string) => void) | undefined,
  call: NodeCall,
): Promise<ModelAnswer> {
  if (!onPiece || request.output_schema) return await model(request, call);
  let charsLeft: number = limits.textCharsMax;
  const onText = (piece: string) => {
    const shown = call.signal.aborted ? '' : truncate(piece, charsLeft);
    charsLeft -= shown.length;
    if (shown !== '') onPiece(shown);
  };
  try {
    return await model(request, { ...call, onText });
  } finally {
    charsLeft = 0;
  }
}

function checkChain(cursor: Cursor, { flowid }: FlowRequest): void {
  if (cursor.chain.includes(flowid)) {
    const calls = [...cursor.chain, flowid].join(' → ');
    throw new NodeError('flow.cycle', `The flow "${flowid}" is being run already: ${calls}.`);
  }
  checkDepth(cursor);
}

function checkDepth({ chain, budget }: Cursor): void {
  const { depth } = budget.limits;
  if (chain.length < depth) return;
  throw new NodeError(
    'limit.depth',
    `Flows and agents call one another too deeply: expected at most ${depth} levels.`,
  );
}

function createReplies({ cursor, node, execution: { key } }: Attempt): Replies {
  const { reply, text: send } = cursor.run.ports;
  return {
    reply: (content, use) =>
      reply({ node_id: node.id, ...content }, use === undefined ? key : `${key}.${use}`),
    callerText: () => {
      if (!send || !cursor.isStreamed) return undefined;
      return createCallerText((text, chunk) => send({ node_id: node.id, key, text, chunk }));
    },
  };
}

const createNotes = ({ cursor, node, execution, trace }: Attempt): Notes => ({
  noteFallback: (message) =>
    logNode(cursor, node, {
      level: 'warn',
      event: 'retry',
      status: 'running',
      message,
      attempt: execution.attempt,
    }),
  note: ({ level = 'info', ...entry }) => {
    // What has an entry of its own is not repeated in the node's last entry.
    if (entry.tokens) delete trace.tokens;
    if (entry.finish_reason) delete trace.finish_reason;
    logNode(cursor, node, { level, status: 'running', ...entry });
  },
});

export interface AttemptTime {
  /** Call it before slow work: it throws when time is up, and lets timers run now and then. */
  readonly pace: () => Promise<void> | undefined;
  /**
   * Stops with the scope and at the node's own time limit. Created on first use, because most nodes never
   * wait.
   */
  readonly stop: () => Stop;
  /**
   * Settles with the port, the node's time or the scope, whichever ends first; the last two abort the port's
   * signal.
   */
  readonly callPort: <T>(port: (call: NodeCall) => Promise<T>) => Promise<T>;
  /** Evaluations on another thread, within the same time. */
  readonly compute: Compute | undefined;
  /** A shorter time for a part of the attempt. It ends with this one at the latest. */
  readonly within: (limit: TimeLimit) => AttemptTime;
  readonly close: () => void;
}

function createTime({ run, stop }: Cursor, node: CompiledNode, execution: NodeExecution): AttemptTime {
  const seconds = node.timeoutSeconds ?? (node.isLong ? Number.POSITIVE_INFINITY : limits.nodeSecondsDefault);
  const { key, visit, attempt } = execution;
  const caller = { runId: run.id, key, nodeId: node.id, visit, attempt };
  return createTimeWithin(stop, { what: 'node', seconds, ports: run.ports, caller });
}

interface TimeSpan extends TimeLimit {
  readonly ports: Ports;
  readonly caller: Omit<NodeCall, 'signal'>;
}

function createTimeWithin(outer: Stop, span: TimeSpan): AttemptTime {
  const { what, seconds, ports, caller } = span;
  const { clock } = ports;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + seconds * 1000;
  const timeUp = () => new NodeError('timeout', `The ${what} passed its time limit of ${seconds} s.`);
  let pausedAt = startedAt;
  let own: Stop | undefined;

  const pace = (): Promise<void> | undefined => {
    const stopped = outer.error();
    if (stopped) throw stopped;
    const now = clock.monotonic();
    if (now >= endsAt) throw timeUp();
    if (now - pausedAt < computeMsMax) return undefined;
    pausedAt = now;
    return clock.sleep(0, neverAborted);
  };

  const ownStop = () => {
    own ??= createStop(outer, { clock, ms: endsAt - clock.monotonic(), error: timeUp });
    return own;
  };

  const callPort = async <T>(port: (call: NodeCall) => Promise<T>): Promise<T> => {
    await pace();
    const controller = new AbortController();
    const ended = Promise.withResolvers<never>();
    // Avoids an unhandled rejection when the port throws at once.
    ended.promise.catch(ignore);
    const unsubscribe = ownStop().onStop((error) => {
      ended.reject(error);
      controller.abort(error);
    });
    try {
      const { signal } = controller;
      const compute = computeFor(ports, (evaluate) => evaluate(signal));
      return await Promise.race([port({ ...caller, signal, ...(compute && { compute }) }), ended.promise]);
    } finally {
      unsubscribe();
    }
  };

  const within = (limit: TimeLimit) => createTimeWithin(ownStop(), { ...span, ...limit });

  const compute = computeFor(ports, (evaluate) => callPort(({ signal }) => evaluate(signal)));

  return { pace, stop: ownStop, callPort, compute, within, close: () => own?.close() };
}

/**
 * How long expressions may compute before timers run, so that a cancellation and the caller's heartbeat are
 * not delayed.
 */
const computeMsMax = 25;

const neverAborted = new AbortController().signal;
