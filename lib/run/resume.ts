// Answers what a paused run asks, and hands it to the worker. The answer is stored first and then the message sent; who gets no answer to
// that sends the same again, which stores nothing twice.
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
import { isFinal, type StoredRun } from './stored.ts';

export const resumeBody = z
  .strictObject({
    answer: json.meta({ description: 'Text, one of the choices, or what the schema of the request says.' }),
    id: z.string().max(1_000).optional().meta({
      description: 'Which of the `input_requests` is answered; needed only where there are several.',
    }),
  })
  .meta({ id: 'ResumeRequest' });
export type ResumeBody = z.infer<typeof resumeBody>;

export async function resumeRun(view: RunView, body: ResumeBody): Promise<void> {
  const { run } = view;
  if (view.status !== 'input_required') return await resumeAgain(run, body);
  const answer = await accepted(view.requests, body);
  const at = new Date();
  const isStored = await appendEvent({
    run,
    event: {
      generation: run.generation + 1,
      at: at.toISOString(),
      status: 'working',
      answer: JSON.stringify(answer),
    },
    onlyWhen: 'input_required',
    // Nobody holds the run from here on, not even who began to go on without an answer at this moment.
    header: { wake_at: 0, lease: '', lease_until: 0, claims: 0, deadline: at.getTime() + queuedLimitMs() },
  });
  if (!isStored) return await resumeAgain(await readRun(run.run_id), body);
  await enqueue(runMessageOf(run));
}

/** The same answer once more, perhaps because the message got lost with its sender; any other comes too late. */
async function resumeAgain(run: StoredRun | undefined, body: ResumeBody): Promise<void> {
  const stored = run && (await readEvents(run.run_id)).findLast((event) => event.answer !== undefined);
  const given = stored?.answer === undefined ? undefined : givenAnswer.parse(JSON.parse(stored.answer));
  const isSame =
    given !== undefined &&
    (body.id ?? given.id) === given.id &&
    JSON.stringify(body.answer) === JSON.stringify(given.value);
  if (!run || !isSame) throw new ServiceError('run_not_waiting', { detail: 'The run waits for no answer.' });
  // Whoever goes on has written since.
  if (!isFinal(run.status) && run.generation === stored?.generation) await enqueue(runMessageOf(run));
}

/** As the flow has declared it, so that a slip costs an answer of 400 and not the run. */
async function accepted(
  requests: readonly InputRequest[],
  { id, answer }: ResumeBody,
): Promise<z.infer<typeof givenAnswer>> {
  const isPlain = id === undefined && requests.length === 1;
  const request = isPlain ? requests[0] : requests.find((each) => each.id === id);
  if (!request) throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
  const fault = await faultOf(request, answer);
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
