// One visit of a cursor to a node: its attempts, its pauses, its catch, its assignments, and where the cursor goes.
import type { Json } from '#lib/json.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { takeStep } from './budget.ts';
import { CheckpointError } from './checkpoint.ts';
import type { Assign, CompiledNode } from './compile.ts';
import {
  type Cursor,
  type Entered,
  endPause,
  keepMemory,
  keepPause,
  settle,
  showOutput,
  tryAgain,
} from './cursor.ts';
import type { RenderAt } from './expression/template.ts';
import { limits } from './limits.ts';
import { clipped, preview, redacted } from './log-preview.ts';
import { asNodeError, endsRun, locatedError, matchesAny, NodeError } from './node-error.ts';
import type { Paused, Step } from './nodes/node-context.ts';
import type { Pause } from './pause.ts';
import type { LogEntry } from './ports.ts';
import type { Run } from './run.ts';
import { keyOf } from './snapshot.ts';
import { sleep } from './stop.ts';
import { wakingOf } from './waking.ts';

/** False when the node stands still. */
export async function visit(cursor: Cursor): Promise<boolean> {
  const node = nodeOf(cursor);
  const entered = cursor.entered ?? enter(cursor, node);
  const startedAt = cursor.run.ports.clock.monotonic();
  try {
    const done = entered.pause ? await wokenUp(cursor, node, entered) : await awake(cursor, node, entered);
    if (!done) return false;
    const { step, attempt } = done;
    showOutput(cursor, node.id, step.output);
    const changes = step.state ? Object.entries(step.state) : none;
    const assigned = node.assign ? await rendered(node.assign, attempt.context.at) : none;
    settle(
      cursor,
      { output: step.output, ending: step.ending },
      [...changes, ...assigned],
      step.ending ? undefined : (step.next ?? node.next),
    );
    logCompleted(cursor, node, step, attempt, startedAt);
  } catch (thrown) {
    if (thrown instanceof CheckpointError) throw thrown;
    await caught(cursor, node, entered, asNodeError(thrown));
  }
  return true;
}

function nodeOf({ flow, node }: Cursor): CompiledNode {
  const found = flow.nodes.get(node);
  if (found) return found;
  throw new NodeError('internal', `The flow has no node "${node}".`);
}

function enter(cursor: Cursor, node: CompiledNode): Entered {
  const { visits, place } = cursor;
  try {
    takeStep(cursor.budget);
  } catch (thrown) {
    throw locatedError(asNodeError(thrown), node.id);
  }
  const visit = (visits[node.id] ?? 0) + 1;
  if (node.maxVisits !== undefined && visit > node.maxVisits) {
    const message = `The run passed the limit of ${node.maxVisits} visits to "${node.id}".`;
    throw new NodeError('limit.visits', message, { nodeId: node.id });
  }
  visits[node.id] = visit;
  const key = keyOf(place, node.id, visit);
  const entered: Entered = {
    visit,
    key,
    attempt: 1,
    memory: undefined,
    pause: undefined,
    woken: undefined,
    inner: undefined,
  };
  cursor.entered = entered;
  log(cursor, node, {
    level: 'info',
    event: 'started',
    status: 'running',
    message: `${label(node)} starts.`,
  });
  return entered;
}

interface Done {
  readonly step: Step;
  readonly attempt: Attempt;
}

/** Undefined when its time has not come and its question has no answer. */
async function wokenUp(cursor: Cursor, node: CompiledNode, entered: Entered): Promise<Done | undefined> {
  const waking = await wakingOf(cursor, entered);
  if (!waking) return undefined;
  endPause(cursor, entered, waking);
  const message = `${label(node)} goes on${waking.answer ? ' with an answer' : ''}.`;
  log(cursor, node, { level: 'info', event: 'resumed', status: 'running', message });
  return await awake(cursor, node, entered);
}

async function awake(cursor: Cursor, node: CompiledNode, entered: Entered): Promise<Done | undefined> {
  const { result, attempt } = await attempted(cursor, node, entered);
  if (!('pause' in result)) return { step: result, attempt };
  const { pause, memory } = result;
  if (memory !== undefined) keepMemory(cursor, entered, memory);
  if (pause.kind === 'inside') return undefined;
  keepPause(cursor, entered, pause);
  log(cursor, node, {
    level: 'info',
    event: 'paused',
    status: 'running',
    message: `${label(node)} ${why(pause)}`,
  });
  return await wokenUp(cursor, node, entered);
}

const why = (pause: Exclude<Pause, { kind: 'inside' }>) =>
  pause.kind === 'input'
    ? `waits for an answer: ${preview(pause.prompt, outputPreviewChars)}`
    : `waits until ${pause.at}.`;

interface Attempted {
  readonly result: Step | Paused;
  readonly attempt: Attempt;
}

/** No promise for a node that has none: most nodes of most flows only compute paths. */
function attempted(cursor: Cursor, node: CompiledNode, entered: Entered): Attempted | Promise<Attempted> {
  if (node.retry) return retried(cursor, node, entered);
  const attempt = createAttempt(cursor, node, entered);
  const result = node.run(attempt.context);
  return result instanceof Promise ? closing(result, attempt) : { result, attempt };
}

async function closing(result: Promise<Step | Paused>, attempt: Attempt): Promise<Attempted> {
  try {
    return { result: await result, attempt };
  } finally {
    attempt.close();
  }
}

async function retried(cursor: Cursor, node: CompiledNode, entered: Entered): Promise<Attempted> {
  const { max_attempts = 1, on = [] } = node.retry ?? {};
  for (;;) {
    const attempt = createAttempt(cursor, node, entered);
    try {
      return await closing(
        later(() => node.run(attempt.context)),
        attempt,
      );
    } catch (thrown) {
      const error = asNodeError(thrown);
      const isLast = entered.attempt >= max_attempts || thrown instanceof CheckpointError;
      if (isLast || !matchesAny(error.code, on)) throw thrown;
      await delay(cursor, node, entered.attempt, error);
      tryAgain(entered);
    }
  }
}

const later = async <T>(run: () => T | Promise<T>): Promise<T> => await run();

async function delay(cursor: Cursor, node: CompiledNode, attempt: number, error: NodeError): Promise<void> {
  const ms = delayMs(node, attempt);
  const message = `${said(error)} Attempt ${attempt + 1} follows in ${ms} ms.`;
  log(cursor, node, { level: 'warn', event: 'retry', status: 'running', message, attempt });
  await sleep(cursor.stop, cursor.run.ports.clock, ms);
}

/** Exponential and without jitter: a resumed run repeats what the first one did. */
function delayMs({ retry }: CompiledNode, attempt: number): number {
  const { delay_ms = 0, backoff = 2, max_delay_ms = limits.delayMsMax } = retry ?? {};
  return Math.round(Math.min(delay_ms * backoff ** (attempt - 1), max_delay_ms, limits.delayMsMax));
}

type Changes = readonly (readonly [string, Json])[];

const none: Changes = [];

async function rendered(assignments: Assign, at: RenderAt): Promise<Changes> {
  const changes: [string, Json][] = [];
  for (const [name, render] of assignments) changes.push([name, await render(at)]);
  return changes;
}

function logCompleted(
  cursor: Cursor,
  node: CompiledNode,
  step: Step,
  { trace }: Attempt,
  startedAt: number,
): void {
  const shown =
    step.note === undefined
      ? preview(step.ending?.response ?? step.output, outputPreviewChars)
      : clipped(redacted(step.note), notePreviewChars);
  log(cursor, node, {
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

/** The first catcher that means the error takes over; without one the scope fails. */
async function caught(cursor: Cursor, node: CompiledNode, entered: Entered, error: NodeError): Promise<void> {
  const final = cursor.stop.error() ?? error;
  const catcher = endsRun(final.code) ? undefined : node.catch.find(({ on }) => matchesAny(final.code, on));
  log(cursor, node, {
    ...failureLabels(final, catcher !== undefined),
    status: 'failed',
    message: said(final),
  });
  if (!catcher) throw locatedError(final, node.id);
  const output = { error: { code: final.code, message: final.message } };
  showOutput(cursor, node.id, output);
  const { at } = createAttempt(cursor, node, entered).context;
  settle(cursor, { output }, catcher.assign ? await rendered(catcher.assign, at) : none, catcher.next);
}

function failureLabels({ code }: NodeError, isCaught: boolean): Pick<LogEntry, 'level' | 'event'> {
  if (isCaught) return { level: 'warn', event: 'caught' };
  return code === 'canceled' ? { level: 'info', event: 'canceled' } : { level: 'error', event: 'failed' };
}

const log = ({ run, place }: Cursor, node: CompiledNode, entry: Parameters<Run['log']['node']>[2]) =>
  run.log.node(node, place, entry);

const label = (node: CompiledNode) => `${node.type} "${node.id}"`;

const said = (error: NodeError) => `${error.code}: ${error.message}`;
