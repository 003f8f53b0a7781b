// Answers what a paused run asks, or begins one whose connections were missing, and hands it to the worker. The answer is stored first and
// then the message sent; who gets no answer to that sends the same again, which stores nothing twice.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { faultOf } from '#lib/flow/answer.ts';
import type { InputRequest } from '#lib/flow/pause.ts';
import { json } from '#lib/json.ts';
import { idsAskedIn, type Told, toldIn } from './dialogue.ts';
import type { givenAnswer } from './pause.ts';
import { enqueue, runMessageOf } from './queue.ts';
import { queuedLimitMs } from './retention/keep-until.ts';
import { type RunView, viewRun } from './state.ts';
import { appendEvent, readEvents, readRun } from './store.ts';
import { isFinal, type RunStatus, type StoredRun } from './stored.ts';

export const resumeBody = z
  .strictObject({
    answer: json.optional().meta({
      description:
        'Text, one of the choices, or what the schema of the request says. Left out where the run waits for connections.',
    }),
    id: z.string().max(1_000).optional().meta({
      description:
        'Which of the `input_requests` is answered; needed once the run has asked more than one question, so that an answer that is sent again meets no other.',
    }),
  })
  .meta({ id: 'ResumeRequest' });
export type ResumeBody = z.infer<typeof resumeBody>;

/** A message over A2A has a name, under which it counts once. So it need not say which question it answers, as long as one alone is open. */
export interface Telling extends ResumeBody {
  readonly messageId?: string;
}

export async function resumeRun(view: RunView, telling: Telling): Promise<void> {
  const known = knownIn(view, telling);
  if (known) return await sendAgain(view.run, known);
  const { status, run } = view;
  if (status !== 'auth_required' && status !== 'input_required') throw notWaiting(view, telling);
  const answer = status === 'input_required' ? await accepted(view, telling) : noAnswer(telling);
  if (await handOver(run, status, answer, telling.messageId)) return;
  // Somebody was faster. What was meant for one question is not tried on another.
  const now = await readRun(run.run_id);
  if (!now) throw notWaiting(view, telling);
  const current = viewRun(now, await readEvents(run.run_id));
  await resumeRun(current, answer ? { ...telling, id: answer.id } : telling);
}

type Given = z.infer<typeof givenAnswer>;

/** What was told before, if this is the same. Throws when the question has another answer. */
function knownIn({ events, status, requests }: RunView, telling: Telling): Told | undefined {
  const { answer, id, messageId } = telling;
  // What the engine has refused, after all, is open still.
  const isOpen = ({ answer: given }: Told) => requests.some((request) => request.id === given?.id);
  const told = toldIn(events).filter((each) => !isOpen(each));
  const same = told.find((each) => messageId !== undefined && each.messageId === messageId);
  if (same) return same;
  const isAsked = status === 'input_required' || status === 'auth_required';
  if (answer === undefined) return isAsked ? undefined : told.findLast((each) => !each.answer);
  const question = id ?? onlyOne(idsAskedIn(events));
  const before = told.find((each) => each.answer !== undefined && each.answer.id === question);
  if (!before || isDeepStrictEqual(before.answer?.value, answer)) return before;
  throw refusal(`The question ${question} has another answer already.`);
}

const onlyOne = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined);

/** Perhaps because the message got lost with its sender. Whoever goes on has written since. */
async function sendAgain(run: StoredRun, { generation }: Told): Promise<void> {
  if (!isFinal(run.status) && run.generation === generation) await enqueue(runMessageOf(run));
}

/** As the flow has declared it, so that a slip costs an answer of 400 and not the run. */
async function accepted(view: RunView, telling: Telling): Promise<Given> {
  const { answer } = telling;
  if (answer === undefined) throw invalid('/body/answer', 'must be given');
  const request = requestOf(view, telling);
  const fault = await faultOf(request, answer);
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

function requestOf(view: RunView, { id, messageId }: Telling): InputRequest {
  const { requests, events } = view;
  const asked = idsAskedIn(events);
  const isPlain = asked.length === 1 || messageId !== undefined;
  const request = id === undefined ? isPlain && onlyOne(requests) : requests.find((each) => each.id === id);
  if (request) return request;
  if (id !== undefined && asked.includes(id)) throw notWaiting(view, { id });
  throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
}

function noAnswer({ answer }: Telling): undefined {
  if (answer !== undefined)
    throw invalid('/body/answer', 'must be left out: the run asks nothing, it waits for connections');
}

/** False when the run is not in that state any more. */
async function handOver(
  run: StoredRun,
  onlyWhen: RunStatus,
  answer: Given | undefined,
  messageId: string | undefined,
): Promise<boolean> {
  const at = new Date();
  const isStored = await appendEvent({
    run,
    event: {
      generation: run.generation + 1,
      at: at.toISOString(),
      status: 'working',
      ...(answer && { answer: JSON.stringify(answer) }),
      ...(messageId !== undefined && { message_id: messageId }),
    },
    onlyWhen,
    // Nobody holds the run from here on, not even who began to go on without an answer at this moment.
    header: { wake_at: 0, lease: '', lease_until: 0, claims: 0, deadline: at.getTime() + queuedLimitMs() },
  });
  if (isStored) await enqueue(runMessageOf(run));
  return isStored;
}

function notWaiting({ status, events }: RunView, { id }: Telling): ServiceError {
  if (isFinal(status)) return refusal('The run is over.');
  const isPast = id !== undefined && idsAskedIn(events).includes(id);
  return refusal(
    isPast ? `The question ${id} is not open any more.` : 'It is running and waits for no answer.',
  );
}

const refusal = (detail: string) => new ServiceError('run_not_waiting', { detail });

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
