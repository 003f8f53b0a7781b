// One visit of a cursor to a node: its attempts, its pauses, its catch, its assignments, and where the cursor goes.
import type { Json } from '#lib/json/json.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { asNodeError, endsRun, locatedError, matchesAny, NodeError } from '../format/node-error.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { attempted } from './attempted.ts';
import { takeStep } from './budget.ts';
import { CheckpointError } from './checkpoint.ts';
import type { Assign, CompiledNode, Step } from './node-context.ts';
import { logCompleted, logFailed, logPaused, logResumed, logStarted } from './node-log.ts';
import { wakingOf } from './resume-reason.ts';
import { type Cursor, type Entered, endPause, keepMemory, keepPause, settle, showOutput } from './scope.ts';
import { keyOf } from './snapshot.ts';

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
  const visit = (visits[node.id] ?? 0) + 1;
  // Before the step is taken: a visit that is not made is none of the worst case, which may be the limit of steps.
  if (node.maxVisits !== undefined && visit > node.maxVisits) {
    const message = `The run passed the limit of ${node.maxVisits} visits to "${node.id}".`;
    throw new NodeError('limit.visits', message, { nodeId: node.id });
  }
  try {
    takeStep(cursor.budget);
  } catch (thrown) {
    throw locatedError(asNodeError(thrown), node.id);
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
  logStarted(cursor, node);
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
  logResumed(cursor, node, waking.answer !== undefined);
  return await awake(cursor, node, entered);
}

async function awake(cursor: Cursor, node: CompiledNode, entered: Entered): Promise<Done | undefined> {
  const { result, attempt } = await attempted(cursor, node, entered);
  if (!('pause' in result)) return { step: result, attempt };
  const { pause, memory } = result;
  if (memory !== undefined) keepMemory(cursor, entered, memory);
  if (pause.kind === 'inside') return undefined;
  keepPause(cursor, entered, pause);
  logPaused(cursor, node, pause);
  return await wokenUp(cursor, node, entered);
}

type Changes = readonly (readonly [string, Json])[];

const none: Changes = [];

async function rendered(assignments: Assign, at: RenderAt): Promise<Changes> {
  const changes: [string, Json][] = [];
  for (const [name, render] of assignments) changes.push([name, await render(at)]);
  return changes;
}

/** The first catcher that means the error takes over; without one the scope fails. */
async function caught(cursor: Cursor, node: CompiledNode, entered: Entered, error: NodeError): Promise<void> {
  const final = cursor.stop.error() ?? error;
  const catcher = endsRun(final.code) ? undefined : node.catch.find(({ on }) => matchesAny(final.code, on));
  logFailed(cursor, node, final, catcher !== undefined);
  if (!catcher) throw locatedError(final, node.id);
  const output = { error: { code: final.code, message: final.message } };
  showOutput(cursor, node.id, output);
  const { at } = createAttempt(cursor, node, entered).context;
  settle(cursor, { output }, catcher.assign ? await rendered(catcher.assign, at) : none, catcher.next);
}
