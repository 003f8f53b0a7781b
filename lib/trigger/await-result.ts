// Answers an event with the result of its run, for triggers with `respond: result`. The event is in the queue
// by then, so whatever goes wrong here only means that it is answered as accepted. Loaded by the first such
// trigger.
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import type { Request } from '#lib/http/request.ts';
import { newRunId, type WorkspaceScope } from '#lib/ids.ts';
import { acquirePermit, releasePermit } from '#lib/limits/concurrency-permit.ts';
import type { Permit } from '#lib/limits/permit-items.ts';
import { readEvents } from '#lib/run/run-items.ts';
import { isFinal, isPaused, type StoredEvent } from '#lib/run/stored-run.ts';
import { tail } from '#lib/run/tail.ts';
import type { SourceType } from '#lib/webhook-source/source.ts';
import { type AnsweredRun, formatResult } from './result-answer.ts';

/**
 * From the arrival of the request, in ms: less than the sender waits, as far as its documentation says. Others
 * get what the time of the function allows.
 */
const waitMs: Readonly<Record<SourceType | 'flow', number>> = {
  slack: 2_500,
  shopify: 4_000,
  github: 9_000,
  stripe: 9_000,
  twilio: 14_000,
  sns: 14_000,
  cloudevents: 17_000,
  hmac: 17_000,
  flow: 17_000,
};
/** Left of the time of the function, for the answer. */
const answerMs = 2_000;

/** The id of the run is new, or derived from the rest and the name of the event, so it is a run of theirs. */
export interface AwaitedRun extends AnsweredRun, WorkspaceScope {
  readonly trigger_id: string;
}

type Waiting = Pick<Request, 'at' | 'log' | 'remainingMs' | 'signal'>;

/** Undefined if the run takes longer or waits for somebody, or if too many requests wait already. */
export async function awaitResult(awaited: AwaitedRun, request: Waiting): Promise<Answer<never> | undefined> {
  const last = await followToEnd(awaited, request).catch((error: unknown) => {
    const reason =
      error instanceof ServiceError ? error.code : error instanceof Error ? error.name : 'unknown';
    request.log.warn('event answered without its result', { run_id: awaited.runId, reason });
    return undefined;
  });
  if (!last || !isFinal(last.status)) return undefined;
  if (last.status === 'completed') return formatResult(last.response ?? '{}', awaited);
  const what = last.status === 'canceled' ? 'was canceled' : 'failed';
  throw new ServiceError('run_failed', { detail: `The run ${awaited.runId} ${what}.` });
}

/** The last event of the run so far. A permit is taken only if there is something to wait for. */
async function followToEnd(awaited: AwaitedRun, request: Waiting): Promise<StoredEvent | undefined> {
  const { runId } = awaited;
  const last = (await readEvents(runId)).at(-1);
  const forMs = findWaitMs(awaited, request);
  if ((last && isSettled(last)) || forMs <= 0) return last;
  const permit = toPermit(awaited, forMs);
  await acquirePermit(permit, Date.now());
  try {
    const options = { after: last?.generation ?? 0, forMs, signal: request.signal, isReader: true };
    for await (const event of tail(runId, options)) if (isSettled(event)) return event;
    return undefined;
  } finally {
    await releasePermit(permit, request.log);
  }
}

const isSettled = ({ status }: StoredEvent): boolean => isFinal(status) || isPaused(status);

const findWaitMs = ({ source }: AwaitedRun, { at, remainingMs }: Waiting): number =>
  Math.min(Date.parse(at) + waitMs[source ?? 'flow'] - Date.now(), remainingMs() - answerMs);

/** Each trigger counts as a key of its own, so that no trigger takes the permits of the others. */
const toPermit = ({ orgid, trigger_id }: AwaitedRun, forMs: number): Permit => ({
  use: 'answer',
  orgid,
  keyId: trigger_id,
  runId: newRunId(),
  untilMs: Date.now() + forMs + answerMs,
});
