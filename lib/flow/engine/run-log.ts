// The log of a run: its entries, numbered and with their time. Entries beyond the limit are counted instead
// of written, and one entry says how many. Texts show only as much of a value as may be shown.
import { describeKept } from '#lib/json/big-integers.ts';
import { limits } from '../format/limits.ts';
import type { NodeError } from '../format/node-error.ts';
import type { Tokens } from '../format/tokens.ts';
import type { RemoteTask } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import type { FinishReason } from '../ports/model.ts';
import { preview, redacted, shortened } from './log-preview.ts';
import type { CompiledNode, Step } from './node-context.ts';
import type { Pause } from './pause.ts';
import type { Ports } from './ports.ts';

type Entry = Omit<LogEntry, 'seq' | 'time' | 'node_id' | 'node_type' | 'scope'>;

export interface RunLog {
  /** `path` is that of the node's scope, empty at the root. */
  readonly node: (node: CompiledNode, path: string, entry: Entry) => void;
  readonly run: (entry: Entry) => void;
  /** The last entry of a run. It is always written, after the number of entries that were left out. */
  readonly last: (entry: Entry) => void;
  /** The number of entries so far, including those left out. A snapshot keeps it. */
  readonly seq: () => number;
}

/** `from` is the number of entries that earlier invocations of the run have written. */
export function createLog(ports: Pick<Ports, 'clock' | 'log'>, from: number): RunLog {
  let seq = from;
  const time = createTimestamp(ports.clock);
  const write = (entry: Entry, node?: CompiledNode, path = '') => {
    seq++;
    if (seq > limits.logEntriesMax) return;
    const message = entry.level === 'info' ? entry.message : safeMessage(entry.message);
    // Written out, as copies of copies take longer than all else that an entry does.
    if (node === undefined) ports.log({ seq, time: time(), ...entry, message });
    else if (path === '')
      ports.log({ seq, time: time(), node_id: node.id, node_type: node.type, ...entry, message });
    else {
      const scope = path.slice(0, -1);
      ports.log({ seq, time: time(), node_id: node.id, node_type: node.type, scope, ...entry, message });
    }
  };
  return {
    node: (node, path, entry) => write(entry, node, path),
    run: (entry) => write(entry),
    last: (entry) => {
      const missing = Math.max(0, seq - limits.logEntriesMax);
      if (missing > 0) {
        const message = `${missing} more ${missing === 1 ? 'entry was' : 'entries were'} left out.`;
        ports.log({
          seq: ++seq,
          time: time(),
          level: 'warn',
          event: 'truncated',
          status: 'running',
          message,
        });
      }
      ports.log({ seq: ++seq, time: time(), ...entry, message: safeMessage(entry.message) });
    },
    seq: () => seq,
  };
}

/**
 * Errors may quote any value. Other entries show values through `preview`, which has redacted and shortened
 * them.
 */
const safeMessage = (message: string) => shortened(redacted(message), limits.previewCharsMax);

/** Entries of the same millisecond share the text of their time. */
function createTimestamp(clock: Clock): () => string {
  let ms = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== ms) text = new Date(now).toISOString();
    ms = now;
    return text;
  };
}

/** The scope of the node that an entry is about: its path, and the log of its run. */
interface LoggedScope {
  readonly run: { readonly log: RunLog };
  readonly path: string;
  readonly isQuiet: boolean;
}

/** What an attempt used, for the last entry of its node. */
export interface Trace {
  tokens?: Tokens;
  finish_reason?: FinishReason;
  http?: { host: string; status: number };
}

export function logNode({ run, path, isQuiet }: LoggedScope, node: CompiledNode, entry: Entry): void {
  const isHidden = isQuiet && entry.level === 'info';
  run.log.node(node, path, isHidden ? { ...entry, message: `${label(node)}: ${entry.event}` } : entry);
}

/** Integers of JSON that was read are kept as text if a number would round them. */
export const logKept = (scope: LoggedScope, node: CompiledNode, source: string, count: number) =>
  logNode(scope, node, {
    level: 'warn',
    event: 'warning',
    status: 'running',
    message: `${source}: ${describeKept(count)}`,
  });

export const logStarted = (scope: LoggedScope, node: CompiledNode) =>
  logNode(scope, node, {
    level: 'info',
    event: 'started',
    status: 'running',
    message: `${label(node)} starts.`,
  });

export const logReusedNode = (
  scope: LoggedScope,
  node: CompiledNode,
  { run, isFailed }: { readonly run: string; readonly isFailed: boolean },
) =>
  logNode(scope, node, {
    level: 'info',
    event: 'reused',
    status: isFailed ? 'failed' : 'completed',
    message: `${label(node)} is not executed: the run has its output of ${run}.`,
    duration_ms: 0,
  });

export const logRedirected = (scope: LoggedScope, node: CompiledNode, next: string) =>
  logNode(scope, node, {
    level: 'warn',
    event: 'redirected',
    status: 'completed',
    message: `${label(node)} was executed ${describeVisits(node)}; the run continues at "${next}".`,
  });

const describeVisits = ({ maxVisits = 0 }: CompiledNode) => (maxVisits === 1 ? 'once' : `${maxVisits} times`);

export function logPaused(
  scope: LoggedScope,
  node: CompiledNode,
  pause: Exclude<Pause, { kind: 'inside' }>,
  tasks: Iterable<AwaitedTask>,
): void {
  const message = `${label(node)} ${describePause(pause, tasks)}`;
  logNode(scope, node, { level: 'info', event: 'paused', status: 'running', message });
}

interface AwaitedTask {
  readonly task: Pick<RemoteTask, 'agent'>;
}

function describePause(pause: Exclude<Pause, { kind: 'inside' }>, tasks: Iterable<AwaitedTask>): string {
  if (pause.kind === 'input') return `waits for an answer: ${preview(pause.prompt, outputPreviewChars)}`;
  if (pause.kind === 'event') {
    const named = preview(pause.event, outputPreviewChars);
    return `waits for the event ${named} of ${preview(pause.key, outputPreviewChars)} until ${pause.expires_at}.`;
  }
  const agents = [...new Set([...tasks].map(({ task }) => task.agent))];
  if (agents.length === 0) return `waits until ${pause.at}.`;
  return `waits for a task of ${preview(agents.join(', '), outputPreviewChars)} and reads it by ${pause.at}.`;
}

export function logResumed(scope: LoggedScope, node: CompiledNode, given: string | undefined): void {
  const message = `${label(node)} resumes${given === undefined ? '' : ` with ${given}`}.`;
  logNode(scope, node, { level: 'info', event: 'resumed', status: 'running', message });
}

export function logCompleted(
  scope: LoggedScope,
  node: CompiledNode,
  { note, ending, output }: Step,
  used: Trace & { readonly duration_ms: number },
): void {
  const result =
    note === undefined
      ? preview(ending?.response ?? output, outputPreviewChars)
      : shortened(redacted(note), notePreviewChars);
  const message = `${label(node)} completed: ${result}`;
  logNode(scope, node, { level: 'info', event: 'completed', status: 'completed', message, ...used });
}

const outputPreviewChars = 200;
/** Leaves room for the label. */
const notePreviewChars = limits.previewCharsMax - 100;

export const logFailed = (scope: LoggedScope, node: CompiledNode, error: NodeError, isCaught: boolean) =>
  logNode(scope, node, { ...failureLabels(error, isCaught), status: 'failed', message: describe(error) });

function failureLabels({ code }: NodeError, isCaught: boolean): Pick<Entry, 'level' | 'event'> {
  if (isCaught) return { level: 'warn', event: 'caught' };
  return code === 'canceled' ? { level: 'info', event: 'canceled' } : { level: 'error', event: 'failed' };
}

interface FailedAttempt {
  readonly attempt: number;
  readonly error: NodeError;
  /** Ms until the next attempt. */
  readonly delayMs: number;
}

export function logRetry(
  scope: LoggedScope,
  node: CompiledNode,
  { attempt, error, delayMs }: FailedAttempt,
): void {
  const message = `${describe(error)} Attempt ${attempt + 1} follows in ${delayMs} ms.`;
  logNode(scope, node, {
    level: 'warn',
    event: 'retry',
    status: 'running',
    message,
    attempt,
    delay_ms: delayMs,
  });
}

const label = (node: CompiledNode) => `${node.type} "${node.id}"`;

const describe = (error: NodeError) => `${error.code}: ${error.message}`;
