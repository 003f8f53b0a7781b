// Answers what a paused run asks, or begins one whose connections were missing, and hands it to the worker. The answer is stored first and
// then the message sent; who gets no answer to that sends the same again, which stores nothing twice.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { faultOf } from '#lib/flow/engine/answer.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { json } from '#lib/json/json.ts';
import { computeOnce } from './compute/compute-port.ts';
import { withAnswers } from './encrypted-run.ts';
import { queuedLimitMs } from './keep-until.ts';
import type { givenAnswer } from './pause.ts';
import { idsAskedIn, idsStillOpenIn, type Told, toldIn } from './questions.ts';
import { appendEvent, readEvents, readRun } from './run-items.ts';
import { enqueue, runMessageOf } from './run-queue.ts';
import { type RunView, viewRun } from './state.ts';
import { isFinal, isPaused, type RunStatus, type StoredRun } from './stored-run.ts';
import { tail } from './tail.ts';

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

/** Waits, but not for ever, while the run is worked on with the answer to another of its questions. */
export async function resumeRun(view: RunView, telling: Telling, waitMs: number): Promise<void> {
  const endsAt = performance.now() + Math.min(waitMs, waitMsMax);
  let [now, meant] = [await withPlainAnswers(view), telling];
  for (;;) {
    const known = knownIn(now, meant);
    if (known) return await sendAgain(now.run, known);
    if (now.status === 'input_required' || now.status === 'auth_required') {
      const answer = now.status === 'input_required' ? await accepted(now, meant) : noAnswer(meant);
      if (await handOver(now.run, now.status, answer, meant.messageId)) return;
      // Somebody was faster. What was meant for one question is not tried on another.
      if (answer) meant = { ...meant, id: answer.id };
    } else {
      meant = { ...meant, id: idStillOpen(now, meant) };
      await nextRest(now.run, endsAt);
    }
    now = await viewAgain(now, meant);
  }
}

const waitMsMax = 15_000;

async function viewAgain(view: RunView, telling: Telling): Promise<RunView> {
  const run = await readRun(view.run.run_id);
  if (run) return await withPlainAnswers(viewRun(run, await readEvents(run.run_id)));
  throw notWaiting(view, telling);
}

const withPlainAnswers = async (view: RunView): Promise<RunView> => ({
  ...view,
  events: await withAnswers(view.run, view.events),
});

/** Of the question that is meant, while the run is worked on: beside another that was answered, or beside a wait that is over. */
function idStillOpen(view: RunView, telling: Telling): string {
  const open = isFinal(view.status) || telling.answer === undefined ? [] : idsStillOpenIn(view.events);
  const id = telling.id ?? (isPlain(view, telling) ? onlyOne(open) : undefined);
  if (id !== undefined && open.includes(id)) return id;
  throw notWaiting(view, telling);
}

async function nextRest(run: StoredRun, endsAt: number): Promise<void> {
  for await (const event of tail(run.run_id, { after: run.generation, forMs: endsAt - performance.now() }))
    if (isPaused(event.status) || isFinal(event.status)) return;
  throw new ServiceError('run_busy', { detail: 'The run goes on with something else first.' });
}

/** Sends a run on its way that waits for connections; what is still missing it finds out itself. Nothing happens to any other. */
export async function wakeRun(id: string): Promise<void> {
  const run = await readRun(id);
  if (run?.status === 'auth_required') await handOver(run, 'auth_required');
  // Whoever handed it over may have died before its message was sent.
  else if (run && run.lease === '' && !isFinal(run.status)) await enqueue(runMessageOf(run));
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
  const fault = await faultOf(request, answer, computeOnce(view.run.orgid));
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

function requestOf(view: RunView, telling: Telling): InputRequest {
  const { requests, events } = view;
  const { id } = telling;
  const asked = idsAskedIn(events);
  const only = isPlain(view, telling) ? onlyOne(requests) : undefined;
  const request = id === undefined ? only : requests.find((each) => each.id === id);
  if (request) return request;
  if (id !== undefined && asked.includes(id)) throw notWaiting(view, { id });
  throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
}

/** No id is needed where no other question can be meant, or where the message counts once. */
const isPlain = ({ events }: RunView, { messageId }: Telling): boolean =>
  messageId !== undefined || idsAskedIn(events).length === 1;

function noAnswer({ answer }: Telling): undefined {
  if (answer !== undefined)
    throw invalid('/body/answer', 'must be left out: the run asks nothing, it waits for connections');
}

/** False when the run is not in that state any more. */
async function handOver(
  run: StoredRun,
  onlyWhen: RunStatus,
  answer?: Given,
  messageId?: string,
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
