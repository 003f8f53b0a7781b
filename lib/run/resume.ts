// Answers what a paused run asks, or begins one whose connections were missing, and hands it to the worker. The answer is stored first and
// then the message sent; who gets no answer to that sends the same again, which stores nothing twice.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { json } from '#lib/json.ts';
import { acceptedAnswer, requestFor } from './accepted-answer.ts';
import { isStillOpen, lastAnswer } from './given-answers.ts';
import { enqueue, runMessageOf } from './queue.ts';
import { queuedLimitMs } from './start.ts';
import { type RunView, viewRun } from './state.ts';
import { appendEvent, readEvents, readRun } from './store.ts';
import { isFinal, isPaused, type RunStatus, type StoredEvent, type StoredRun } from './stored.ts';
import { tail } from './tail.ts';

export const resumeBody = z
  .strictObject({
    answer: json.optional().meta({
      description:
        'Text, one of the choices, or what the schema of the request says. Left out where the run waits for connections.',
    }),
    id: z.string().max(1_000).optional().meta({
      description: 'Which of the `input_requests` is answered; needed only where there are several.',
    }),
  })
  .meta({ id: 'ResumeRequest' });
export type ResumeBody = z.infer<typeof resumeBody>;

/** Waits, but not for ever, while the run is worked on with the answer to another of its questions. */
export async function resumeRun(view: RunView, body: ResumeBody, waitMs: number): Promise<void> {
  const endsAt = performance.now() + Math.min(waitMs, waitMsMax);
  let now = view;
  while (!(await isTaken(now, body))) {
    const run = await readRun(view.run.run_id);
    if (!run) throw notWaiting();
    const events = await readEvents(run.run_id);
    if (isKnown(events, body)) return await sendAgain(run, events);
    now = await nextRest(viewRun(run, events, Date.now()), events, body, endsAt);
  }
}

const waitMsMax = 15_000;

/** False when the run is not, or not any more, where that is asked. */
async function isTaken({ run, status, requests }: RunView, body: ResumeBody): Promise<boolean> {
  if (status === 'auth_required') return await handOver(run, status);
  const isAsked = body.id === undefined || requests.some(({ id }) => id === body.id);
  if (status !== 'input_required' || !isAsked) return false;
  return await handOver(run, status, JSON.stringify(await acceptedAnswer(requests, body)));
}

/** Sends a run on its way that waits for connections; what is still missing it finds out itself. Nothing happens to any other. */
export async function wakeRun(id: string): Promise<void> {
  const run = await readRun(id);
  if (run?.status === 'auth_required') await handOver(run, 'auth_required');
  // Whoever handed it over may have died before its message was sent.
  else if (run && isHandedOver(run)) await enqueue(runMessageOf(run));
}

/** False when the run is not in that state any more. */
async function handOver(run: StoredRun, onlyWhen: RunStatus, answer?: string): Promise<boolean> {
  const at = new Date();
  const isStored = await appendEvent({
    run,
    event: {
      generation: run.generation + 1,
      at: at.toISOString(),
      status: 'working',
      ...(answer !== undefined && { answer }),
    },
    onlyWhen,
    // Nobody holds the run from here on, not even who began to go on without an answer at this moment.
    header: { wake_at: 0, lease: '', lease_until: 0, claims: 0, deadline: at.getTime() + queuedLimitMs() },
  });
  if (isStored) await enqueue(runMessageOf(run));
  return isStored;
}

/** The same once more, or the word that is stored what was waited for; the run may have gone on by itself, and be over. */
function isKnown(events: readonly StoredEvent[], { id, answer }: ResumeBody): boolean {
  const given = lastAnswer(events, id);
  if (given) return JSON.stringify(answer) === JSON.stringify(given.value);
  return !lastAnswer(events) && answer === undefined && events.some(({ needs }) => needs !== undefined);
}

/** Perhaps because the message got lost with its sender. Whoever goes on has written since. */
async function sendAgain(run: StoredRun, events: readonly StoredEvent[]): Promise<void> {
  const last = lastAnswer(events);
  const isUntouched = last ? run.generation === last.generation && !isFinal(run.status) : isHandedOver(run);
  if (isUntouched) await enqueue(runMessageOf(run));
}

/** Sent on its way without an answer, and nobody has taken it yet. */
const isHandedOver = (run: StoredRun): boolean => run.lease === '' && !isFinal(run.status);

/** Settles once the run rests again, for a question that was open beside the one that was answered. Without an id nobody can tell which is meant. */
async function nextRest(
  view: RunView,
  events: readonly StoredEvent[],
  body: ResumeBody,
  endsAt: number,
): Promise<RunView> {
  const { run, status, requests } = view;
  if (body.id === undefined || isFinal(status)) throw notWaiting();
  if (isPaused(status)) {
    requestFor(requests, body);
    return view;
  }
  if (!isStillOpen(events, body.id)) throw notWaiting();
  for await (const event of tail(run.run_id, run.generation, endsAt - performance.now()))
    if (isPaused(event.status) || isFinal(event.status)) return view;
  throw new ServiceError('run_busy', { detail: 'The run goes on with another answer first.' });
}

const notWaiting = () => new ServiceError('run_not_waiting', { detail: 'The run waits for no answer.' });
