// Answers what a paused run asks, and hands it to the worker. The answer is stored first and then the message sent; who gets no answer to
// that sends the same again, which stores nothing twice.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { schemaFaults } from '#lib/flow/schema/validate.ts';
import { type Json, json } from '#lib/json.ts';
import { type GivenAnswer, givenAnswer, type InputRequest } from './pause.ts';
import { bytesOf } from './pending.ts';
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
  const request = requestOf(view.requests, body.id);
  await checkAnswer(request, body.answer);
  const answer: GivenAnswer = { id: request.id, answer: body.answer };
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
    JSON.stringify(body.answer) === JSON.stringify(given.answer);
  if (!run || !isSame) throw new ServiceError('run_not_waiting', { detail: 'The run waits for no answer.' });
  // Whoever goes on has written since.
  if (!isFinal(run.status) && run.generation === stored?.generation) await enqueue(runMessageOf(run));
}

function requestOf(requests: readonly InputRequest[], id: string | undefined): InputRequest {
  const [first] = requests;
  const request = id === undefined && requests.length === 1 ? first : requests.find((each) => each.id === id);
  if (request) return request;
  const ids = requests.map((each) => each.id).join(', ');
  throw invalid('/body/id', `must be one of ${ids}`);
}

/** As the flow has declared it, so that a slip costs an answer of 400 and not the run. */
async function checkAnswer({ choices, schema }: InputRequest, answer: Json): Promise<void> {
  if (bytesOf(answer) > answerBytesMax)
    throw invalid('/body/answer', `must have ${answerBytesMax} bytes of JSON at most`);
  if (choices && !choices.some((choice) => choice === answer))
    throw invalid('/body/answer', `must be one of ${choices.join(', ')}`);
  const [fault] = schema ? await schemaFaults(schema, answer) : [];
  if (fault !== undefined) throw invalid('/body/answer', fault);
}

/** As one value of a flow may have. */
const answerBytesMax = 200 * 1_024;

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
