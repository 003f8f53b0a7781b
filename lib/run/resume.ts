// Answers what a paused run asks, or begins one whose connections were missing, and hands it to the worker. The answer is stored first and
// then the message sent; who gets no answer to that sends the same again, which stores nothing twice.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { faultOf } from '#lib/flow/answer.ts';
import type { InputRequest } from '#lib/flow/pause.ts';
import { json } from '#lib/json.ts';
import { givenAnswer } from './pause.ts';
import { enqueue, runMessageOf } from './queue.ts';
import { queuedLimitMs } from './start.ts';
import type { RunView } from './state.ts';
import { appendEvent, readEvents, readRun } from './store.ts';
import { isFinal, type RunStatus, type StoredEvent, type StoredRun } from './stored.ts';

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

export async function resumeRun(view: RunView, body: ResumeBody): Promise<void> {
  const { run } = view;
  if (view.status === 'auth_required') {
    if (!(await handOver(run, 'auth_required'))) await resumeAgain(await readRun(run.run_id), body);
    return;
  }
  if (view.status !== 'input_required') return await resumeAgain(run, body);
  const answer = await accepted(view.requests, body);
  if (!(await handOver(run, 'input_required', JSON.stringify(answer))))
    await resumeAgain(await readRun(run.run_id), body);
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

/** The same once more, perhaps because the message got lost with its sender, or the word that is stored what was waited for; any other comes too late. */
async function resumeAgain(run: StoredRun | undefined, body: ResumeBody): Promise<void> {
  const events = run ? await readEvents(run.run_id) : [];
  const last = events.findLast((event) => event.answer !== undefined);
  const isSame = last?.answer === undefined ? hasWaited(events, body) : isGiven(last.answer, body);
  if (!run || !isSame) throw new ServiceError('run_not_waiting', { detail: 'The run waits for no answer.' });
  // Whoever goes on has written since.
  const isUntouched = last ? run.generation === last.generation && !isFinal(run.status) : isHandedOver(run);
  if (isUntouched) await enqueue(runMessageOf(run));
}

/** For connections, as it says who brings no answer. The run may have gone on by itself, and be over. */
const hasWaited = (events: readonly StoredEvent[], { answer }: ResumeBody): boolean =>
  answer === undefined && events.some(({ needs }) => needs !== undefined);

/** Sent on its way without an answer, and nobody has taken it yet. */
const isHandedOver = (run: StoredRun): boolean => run.lease === '' && !isFinal(run.status);

function isGiven(stored: string, { id, answer }: ResumeBody): boolean {
  const given = givenAnswer.parse(JSON.parse(stored));
  return (id ?? given.id) === given.id && JSON.stringify(answer) === JSON.stringify(given.value);
}

/** As the flow has declared it, so that a slip costs an answer of 400 and not the run. */
async function accepted(
  requests: readonly InputRequest[],
  { id, answer }: ResumeBody,
): Promise<z.infer<typeof givenAnswer>> {
  if (answer === undefined) throw invalid('/body/answer', 'must be given');
  const isPlain = id === undefined && requests.length === 1;
  const request = isPlain ? requests[0] : requests.find((each) => each.id === id);
  if (!request) throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
  const fault = await faultOf(request, answer);
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
