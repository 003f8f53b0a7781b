// The log entries of an execution of a node, with as much of its values as may be shown.

import { limits } from '../format/limits.ts';
import type { NodeError } from '../format/node-error.ts';
import type { Attempt, Trace } from './attempt.ts';
import { preview, redacted, shortened } from './log-preview.ts';
import type { CompiledNode, Notes, Step } from './node-context.ts';
import type { Pause } from './pause.ts';
import type { Run } from './run.ts';
import type { Cursor } from './scope.ts';

type NodeEntry = Parameters<Run['log']['node']>[2];

export const logStarted = (cursor: Cursor, node: CompiledNode) =>
  logNode(cursor, node, {
    level: 'info',
    event: 'started',
    status: 'running',
    message: `${label(node)} starts.`,
  });

export function logPaused(
  cursor: Cursor,
  node: CompiledNode,
  pause: Exclude<Pause, { kind: 'inside' }>,
): void {
  const message = `${label(node)} ${why(pause)}`;
  logNode(cursor, node, { level: 'info', event: 'paused', status: 'running', message });
}

const why = (pause: Exclude<Pause, { kind: 'inside' }>) =>
  pause.kind === 'input'
    ? `waits for an answer: ${preview(pause.prompt, outputPreviewChars)}`
    : `waits until ${pause.at}.`;

export function logResumed(cursor: Cursor, node: CompiledNode, hasAnswer: boolean): void {
  const message = `${label(node)} resumes${hasAnswer ? ' with an answer' : ''}.`;
  logNode(cursor, node, { level: 'info', event: 'resumed', status: 'running', message });
}

export function logCompleted(
  cursor: Cursor,
  node: CompiledNode,
  step: Step,
  trace: Trace,
  startedAt: number,
): void {
  const shown =
    step.note === undefined
      ? preview(step.ending?.response ?? step.output, outputPreviewChars)
      : shortened(redacted(step.note), notePreviewChars);
  logNode(cursor, node, {
    level: 'info',
    event: 'completed',
    status: 'completed',
    message: `${label(node)} completed: ${shown}`,
    duration_ms: Math.round(cursor.run.ports.clock.monotonic() - startedAt),
    ...trace,
  });
}

const outputPreviewChars = 200;
/** Leaves room for the label. */
const notePreviewChars = limits.previewCharsMax - 100;

export const logFailed = (cursor: Cursor, node: CompiledNode, error: NodeError, isCaught: boolean) =>
  logNode(cursor, node, { ...failureLabels(error, isCaught), status: 'failed', message: describe(error) });

function failureLabels({ code }: NodeError, isCaught: boolean): Pick<NodeEntry, 'level' | 'event'> {
  if (isCaught) return { level: 'warn', event: 'caught' };
  return code === 'canceled' ? { level: 'info', event: 'canceled' } : { level: 'error', event: 'failed' };
}

interface Failed {
  readonly attempt: number;
  readonly error: NodeError;
  /** Until the next one. */
  readonly ms: number;
}

export function logRetry(cursor: Cursor, node: CompiledNode, { attempt, error, ms }: Failed): void {
  const message = `${describe(error)} Attempt ${attempt + 1} follows in ${ms} ms.`;
  logNode(cursor, node, { level: 'warn', event: 'retry', status: 'running', message, attempt });
}

/** What a node writes itself while an attempt runs. */
export const createNotes = ({ cursor, node, execution, trace }: Attempt): Notes => ({
  noteFallback: (message) =>
    logNode(cursor, node, {
      level: 'warn',
      event: 'retry',
      status: 'running',
      message,
      attempt: execution.attempt,
    }),
  note: ({ level = 'info', ...entry }) => {
    // Tokens that have an entry of their own are not repeated in the node's last entry.
    if (entry.tokens) delete trace.tokens;
    logNode(cursor, node, { level, status: 'running', ...entry });
  },
});

const logNode = ({ run, path }: Cursor, node: CompiledNode, entry: NodeEntry) =>
  run.log.node(node, path, entry);

const label = (node: CompiledNode) => `${node.type} "${node.id}"`;

const describe = (error: NodeError) => `${error.code}: ${error.message}`;
