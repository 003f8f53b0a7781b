// One visit of the cursor to a node: its attempts, its catch, its assignments, and where the cursor goes.
import type { JsonObject } from '#lib/json.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import type { Assign, CompiledNode } from './compile.ts';
import type { RenderAt } from './expression/template.ts';
import { limits } from './limits.ts';
import { clipped, preview, redacted } from './log-preview.ts';
import { asNodeError, endsRun, matchesAny, NodeError } from './node-error.ts';
import type { Step } from './nodes/node-type.ts';
import { keepOutput, keepState, type Run } from './run.ts';
import { ignore, untilStopped } from './stop.ts';

/** Where to go; without `next` the run is over, with the response or else the state as its answer. */
export interface Destination {
  readonly next?: string | undefined;
  readonly response?: JsonObject | undefined;
}

export async function visit(run: Run, nodeId: string): Promise<Destination> {
  const node = nodeOf(run, nodeId);
  const count = countVisit(run, node);
  const startedAt = run.ports.clock.monotonic();
  run.log.node(node, {
    level: 'info',
    event: 'started',
    status: 'running',
    message: `${label(node)} starts.`,
  });
  try {
    const { step, attempt } = await attempted(run, node, count);
    keepOutput(run, node.id, step.output);
    if (node.assign) await assign(run, node.assign, attempt.context.at);
    completed(run, node, step, attempt, startedAt);
    return { next: step.response ? undefined : (step.next ?? node.next), response: step.response };
  } catch (thrown) {
    return await caught(run, node, count, asNodeError(thrown));
  }
}

function nodeOf(run: Run, nodeId: string): CompiledNode {
  const node = run.flow.nodes.get(nodeId);
  if (node) return node;
  throw new NodeError('internal', `The flow has no node "${nodeId}".`);
}

function countVisit(run: Run, node: CompiledNode): number {
  if (run.steps >= run.limits.steps) {
    throw new NodeError('limit.steps', `The run passed its limit of ${run.limits.steps} steps.`);
  }
  run.steps++;
  const count = (run.visits[node.id] ?? 0) + 1;
  if (node.maxVisits !== undefined && count > node.maxVisits) {
    throw new NodeError(
      'limit.visits',
      `The run passed the limit of ${node.maxVisits} visits to "${node.id}".`,
    );
  }
  run.visits[node.id] = count;
  return count;
}

interface Attempted {
  readonly step: Step;
  readonly attempt: Attempt;
}

/** No promise for a node that has none: most nodes of most flows only compute paths. */
function attempted(run: Run, node: CompiledNode, count: number): Attempted | Promise<Attempted> {
  if (node.retry) return retried(run, node, count);
  const attempt = createAttempt(run, node, count, 1);
  const step = node.run(attempt.context);
  return step instanceof Promise ? step.then((ready) => ({ step: ready, attempt })) : { step, attempt };
}

async function retried(run: Run, node: CompiledNode, count: number): Promise<Attempted> {
  const { max_attempts = 1, on = [] } = node.retry ?? {};
  for (let number = 1; ; number++) {
    const attempt = createAttempt(run, node, count, number);
    try {
      return { step: await node.run(attempt.context), attempt };
    } catch (thrown) {
      const error = asNodeError(thrown);
      if (number >= max_attempts || !matchesAny(error.code, on)) throw error;
      await delay(run, node, number, error);
    }
  }
}

async function delay(run: Run, node: CompiledNode, attempt: number, error: NodeError): Promise<void> {
  const ms = delayMs(node, attempt);
  const message = `${said(error)} Attempt ${attempt + 1} follows in ${ms} ms.`;
  run.log.node(node, { level: 'warn', event: 'retry', status: 'running', message, attempt });
  const timer = new AbortController();
  try {
    const slept = run.ports.clock.sleep(ms, timer.signal);
    slept.catch(ignore);
    await untilStopped(run.stop, slept);
  } finally {
    timer.abort();
  }
}

/** Exponential and without jitter: a resumed run repeats what the first one did. */
function delayMs({ retry }: CompiledNode, attempt: number): number {
  const { delay_ms = 0, backoff = 2, max_delay_ms = limits.delayMsMax } = retry ?? {};
  return Math.round(Math.min(delay_ms * backoff ** (attempt - 1), max_delay_ms, limits.delayMsMax));
}

async function assign(run: Run, assignments: Assign, at: RenderAt): Promise<void> {
  const changes: [string, Awaited<ReturnType<Assign[number][1]>>][] = [];
  for (const [name, render] of assignments) changes.push([name, await render(at)]);
  keepState(run, changes);
}

function completed(run: Run, node: CompiledNode, step: Step, { trace }: Attempt, startedAt: number): void {
  const shown =
    step.note === undefined
      ? preview(step.response ?? step.output, outputPreviewChars)
      : clipped(redacted(step.note), notePreviewChars);
  run.log.node(node, {
    level: 'info',
    event: 'completed',
    status: 'completed',
    message: `${label(node)} completed: ${shown}`,
    duration_ms: Math.round(run.ports.clock.monotonic() - startedAt),
    ...trace,
  });
}

const outputPreviewChars = 200;
/** Leaves room for the label. */
const notePreviewChars = limits.previewCharsMax - 100;

/** The first catcher that means the error takes over; without one the run fails. */
async function caught(run: Run, node: CompiledNode, count: number, error: NodeError): Promise<Destination> {
  const stopped = run.stop.error();
  const final = stopped ?? error;
  const catcher = endsRun(final.code) ? undefined : node.catch.find(({ on }) => matchesAny(final.code, on));
  const level = catcher ? 'warn' : 'error';
  const event = catcher ? 'caught' : 'failed';
  run.log.node(node, { level, event, status: 'failed', message: said(final) });
  if (!catcher) throw final;
  keepOutput(run, node.id, {
    error: { code: final.code, message: clipped(final.message, limits.previewCharsMax) },
  });
  if (catcher.assign) await assign(run, catcher.assign, createAttempt(run, node, count, 1).context.at);
  return { next: catcher.next };
}

const label = (node: CompiledNode) => `${node.type} "${node.id}"`;

const said = (error: NodeError) => `${error.code}: ${error.message}`;
