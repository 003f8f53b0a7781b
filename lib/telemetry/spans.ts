// The spans of a run that is over, projected from its events: the run, the executions of its nodes, their attempts, and in
// these the calls of models and tools. Nothing here reads a clock or draws an id, so a second projection is the same.
import { totalUsage, type Usage } from '#lib/model/usage.ts';
import type { KeptExecution } from '#lib/run/kept-execution.ts';
import type { RunView } from '#lib/run/state.ts';
import { readLogs } from '#lib/run/stored-run.ts';
import { attemptSpanId, computeSpanId, readRunTrace } from '#lib/trace-context.ts';
import { type AttributeValues, describeModel } from './attributes.ts';
import { describeModelCall, describeNode } from './content.ts';
import { type LoggedAttempt, type LoggedError, type LoggedExecution, readExecutions } from './executions.ts';

/** As OTLP numbers them. */
const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const;

export interface Span {
  readonly spanId: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: (typeof kinds)[keyof typeof kinds];
  /** Ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: AttributeValues;
  /** The message is content. */
  readonly error?: LoggedError | undefined;
}

export interface SpanContent {
  /** What was kept of the executions of the run, by their ids. */
  readonly kept: ReadonlyMap<string, KeptExecution>;
}

/** With content only where the sink says so. */
export function buildSpans(view: RunView, content?: SpanContent): Span[] {
  const { run } = view;
  const root = toRunSpan(view);
  const executions = readExecutions(readLogs(view.events), { status: statusOf(view), ms: root.endMs });
  const usage = Map.groupBy(view.usage, ({ execution }) => execution);
  const keys = new Set(executions.map(({ key }) => key));
  const nodes = executions.flatMap((execution) => {
    const parentId = findParent(run.run_id, execution, keys) ?? root.spanId;
    const known = { runId: run.run_id, parentId, kept: content?.kept.get(execution.key) };
    return toNodeSpans(execution, usage.get(execution.key) ?? [], known);
  });
  return [root, ...nodes];
}

const statusOf = ({ status }: RunView): LoggedExecution['status'] =>
  status === 'failed' || status === 'canceled' ? status : 'completed';

function toRunSpan(view: RunView): Span {
  const { run, status } = view;
  const startMs = Date.parse(run.accepted_at ?? run.created_at);
  const { tokens, cost_estimate } = totalUsage(view.usage);
  const hasUsed = view.usage.length > 0;
  return {
    spanId: computeSpanId(run.run_id),
    parentId: readRunTrace(run).parentId,
    name: `invoke_workflow ${run.flowid}`,
    kind: run.trigger === 'api' || run.trigger === 'a2a' ? kinds.server : kinds.consumer,
    startMs,
    endMs: Math.max(startMs, Date.parse(run.ended_at ?? run.updated_at)),
    attributes: {
      operation: 'invoke_workflow',
      observation: 'CHAIN',
      workflow: run.flowid,
      conversation: run.context_id,
      session: run.context_id,
      agentVersion: run.build_no === undefined ? undefined : String(run.build_no),
      runId: run.run_id,
      registryId: run.a2aregistryid,
      payloadId: run.payload_id,
      trigger: run.trigger,
      triggerId: run.trigger_id,
      status: statusOf(view),
      replayOf: run.replay_of,
      forkOf: run.fork?.of,
      ...(hasUsed && {
        runInputTokens: tokens.input,
        runOutputTokens: tokens.output,
        runCost: cost_estimate ?? undefined,
      }),
    },
    ...(status === 'failed' && {
      error: { code: view.failure?.code ?? '_OTHER', message: view.error ?? 'The run failed.' },
    }),
  };
}

/** The execution whose scope it is in: the longest id that the path of the scope begins with. */
function findParent(
  runId: string,
  { scope }: LoggedExecution,
  keys: ReadonlySet<string>,
): string | undefined {
  const parts = scope.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const key = parts.slice(0, length).join('.');
    if (keys.has(key)) return computeSpanId(runId, key);
  }
  return undefined;
}

interface Known {
  readonly runId: string;
  readonly parentId: string;
  readonly kept: KeptExecution | undefined;
}

function toNodeSpans(execution: LoggedExecution, usage: readonly Usage[], known: Known): Span[] {
  const { runId, parentId, kept } = known;
  const { key, nodeId, nodeType, startMs, endMs, status, error, isReused } = execution;
  const spanId = computeSpanId(runId, key);
  const isAgent = nodeType === 'agent';
  const node: Span = {
    spanId,
    parentId,
    name: isAgent ? `invoke_agent ${nodeId}` : `${nodeType} ${nodeId}`,
    kind: kinds.internal,
    startMs,
    endMs,
    attributes: {
      ...(isAgent ? { operation: 'invoke_agent', agentName: nodeId } : { observation: 'CHAIN' }),
      nodeId,
      nodeType,
      execution: key,
      status,
      ...(isReused && { isReused }),
      ...(kept && describeNode(kept)),
    },
    error,
  };
  const attempts = hasAttemptSpans(execution) ? execution.attempts : [];
  const parents = attempts.map((attempt) => toAttemptSpan(execution, attempt, known));
  const within = (attempt: number) =>
    parents.find(({ attributes }) => attributes.attempt === attempt)?.spanId ?? spanId;
  return [
    node,
    ...parents,
    ...toModelSpans(execution, usage, { runId, kept, within }),
    ...toToolSpans(execution, { runId, within }),
  ];
}

/** What these request has the attempt as its parent, so the attempt has a span. */
const requesting: Readonly<Record<string, AttributeValues['operation']>> = {
  http: undefined,
  a2a: 'invoke_agent',
  mcp: 'execute_tool',
  llm: undefined,
  agent: undefined,
};

const hasAttemptSpans = ({ nodeType, attempts }: LoggedExecution): boolean =>
  Object.hasOwn(requesting, nodeType) || attempts.length > 1;

const isClient = (nodeType: string): boolean => ['http', 'a2a', 'mcp'].includes(nodeType);

function toAttemptSpan(execution: LoggedExecution, attempt: LoggedAttempt, { runId }: Known): Span {
  const { key, nodeId, nodeType, entries } = execution;
  const number = attempt.attempt;
  const isLast = number === execution.attempts.at(-1)?.attempt;
  const http = isLast ? entries.findLast((entry) => entry.http)?.http : undefined;
  return {
    spanId: attemptSpanId(runId, { key, attempt: number }),
    parentId: computeSpanId(runId, key),
    name: `attempt ${number} of ${nodeId}`,
    kind: isClient(nodeType) ? kinds.client : kinds.internal,
    startMs: attempt.startMs,
    endMs: attempt.endMs,
    attributes: {
      operation: requesting[nodeType],
      observation: requesting[nodeType] === undefined ? 'CHAIN' : undefined,
      attempt: number,
      host: http?.host,
      httpStatus: http?.status,
    },
    error: attempt.error,
  };
}

interface Parents {
  readonly runId: string;
  /** The span of an attempt. */
  readonly within: (attempt: number) => string;
}

function toModelSpans(
  { key, startMs, endMs }: LoggedExecution,
  usage: readonly Usage[],
  { runId, within, kept }: Parents & Pick<Known, 'kept'>,
): Span[] {
  const calls = kept?.models?.filter(({ model }) => model !== undefined) ?? [];
  const contents = calls.length === usage.length ? (kept?.models ?? []) : [];
  return usage.map((used, n) => {
    // Runs of an earlier version of the service have not recorded when a model was called.
    const from = used.at ?? startMs;
    const attempt = used.attempt ?? 1;
    const call = contents.length > 0 ? calls[n] : undefined;
    return {
      spanId: computeSpanId(runId, key, 'model', n + 1),
      parentId: within(attempt),
      name: `chat ${used.model.split('/').slice(1).join('/')}`,
      kind: kinds.client,
      startMs: from,
      endMs: used.ms === undefined ? Math.max(from, endMs) : from + used.ms,
      attributes: {
        operation: 'chat',
        ...describeModel(used.model),
        attempt,
        inputTokens: used.input,
        outputTokens: used.output,
        cacheRead: used.cached,
        cacheWrite: used.cache_write,
        cost: used.cost,
        ...(call && describeModelCall(contents, call)),
      },
    };
  });
}

function toToolSpans({ key, entries, attempts }: LoggedExecution, { runId, within }: Parents): Span[] {
  const used = entries.filter(({ event, tool }) => event === 'tool' && tool !== undefined);
  return used.map(({ time, tool = '', level, duration_ms = 0 }, n) => {
    const endMs = Date.parse(time);
    const startMs = endMs - Math.round(duration_ms);
    const attempt = attempts.findLast((each) => each.startMs <= endMs)?.attempt ?? 1;
    return {
      spanId: computeSpanId(runId, key, 'tool', n + 1),
      parentId: within(attempt),
      name: `execute_tool ${tool}`,
      kind: kinds.internal,
      startMs,
      endMs,
      attributes: { operation: 'execute_tool', tool },
      ...(level === 'warn' && { error: { code: '_OTHER', message: 'The tool failed.' } }),
    };
  });
}
