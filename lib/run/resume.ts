// Resumes a paused run: records the answer to its question, or begins a run whose connections were missing,
// and queues it for the worker. The answer is stored before the message is sent; a client that gets no
// response sends the same again, which stores nothing twice.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { findAnswerFault } from '#lib/flow/engine/answer.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { type JsonObject, json } from '#lib/json/json.ts';
import { computeOnce } from './compute/compute-port.ts';
import type { givenAnswer } from './pause.ts';
import { listOpenIds, listQuestionIds, type RecordedAnswer, readAnswers } from './questions.ts';
import { readRunWithEvents } from './read-run.ts';
import { withAnswers } from './run-encryption.ts';
import { appendEvent, readRun } from './run-items.ts';
import { enqueueRun } from './run-queue.ts';
import { type RunView, viewRun } from './state.ts';
import { isFinal, isPaused, queuedLimitMs, type RunStatus, type StoredRun } from './stored-run.ts';
import { tail } from './tail.ts';

export const resumeBody = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      answer: json.optional().meta({
        description:
          'Text, one of the choices, or what the schema of the request says: for an approval `approve`, `deny` or `{approved, arguments, reason}`. Left out where the run waits for connections.',
      }),
      id: z.string().max(1_000).optional().meta({
        description:
          'Which of the `input_requests` is answered; needed once the run has asked more than one question, so that an answer that is sent again meets no other.',
      }),
    })
    .meta({ id: 'ResumeRequest' }),
);
export type ResumeBody = z.infer<typeof resumeBody>;

/**
 * A message over A2A has an id, under which it counts once. It need not name the question as long as only one
 * is open.
 */
export interface AnswerInput extends ResumeBody {
  readonly messageId?: string;
  /** The message as it was sent. The answer is what it says (`readMessageAnswer`). */
  readonly message?: JsonObject;
}

/** While the run is executed with the answer to another of its questions, this waits for a limited time. */
export async function resumeRun(view: RunView, input: AnswerInput, waitMs: number): Promise<void> {
  const endsAt = performance.now() + Math.min(waitMs, waitMsMax);
  let [now, meant] = [await withPlainAnswers(view), input];
  for (;;) {
    const known = findRecorded(now, meant);
    if (known) return await sendAgain(now.run, known);
    if (now.status === 'input_required' || now.status === 'auth_required') {
      const answer = now.status === 'input_required' ? await validateAnswer(now, meant) : noAnswer(meant);
      if (await handOver(now.run, now.status, meant, answer)) return;
      // Somebody was faster. What was meant for one question is not tried on another.
      if (answer) meant = { ...meant, id: answer.id };
    } else {
      meant = { ...meant, id: findOpenId(now, meant) };
      await waitForPause(now.run, endsAt);
    }
    now = await viewAgain(now, meant);
  }
}

const waitMsMax = 15_000;

async function viewAgain(view: RunView, input: AnswerInput): Promise<RunView> {
  const found = await readRunWithEvents(view.run.run_id, () => true);
  if (found) return await withPlainAnswers(viewRun(found.run, found.events));
  throw notWaiting(view, input);
}

const withPlainAnswers = async (view: RunView): Promise<RunView> => ({
  ...view,
  events: await withAnswers(view.run, view.events),
});

/**
 * The id of the question that is meant, while the run is executed because another was answered or a wait is
 * over.
 */
function findOpenId(view: RunView, input: AnswerInput): string {
  const open = isFinal(view.status) || input.answer === undefined ? [] : listOpenIds(view.events);
  const id = input.id ?? (isPlain(view, input) ? onlyOne(open) : undefined);
  if (id !== undefined && open.includes(id)) return id;
  throw notWaiting(view, input);
}

async function waitForPause(run: StoredRun, endsAt: number): Promise<void> {
  for await (const event of tail(run.run_id, { after: run.generation, forMs: endsAt - performance.now() }))
    if (isPaused(event.status) || isFinal(event.status)) return;
  throw new ServiceError('run_busy', { detail: 'The run is busy with something else first; try again.' });
}

/**
 * Resumes a run that waits for connections; the run checks itself what is still missing. Nothing happens to
 * any other run.
 */
export async function wakeRun(id: string): Promise<void> {
  const run = await readRun(id);
  if (run?.status === 'auth_required') await handOver(run, 'auth_required');
  // Whoever handed it over may have died before its message was sent.
  else if (run && run.lease === '' && !isFinal(run.status)) await enqueueRun(run);
}

type GivenAnswer = z.infer<typeof givenAnswer>;

/** The recorded answer, if this is the same. Throws when the question has another answer. */
function findRecorded({ events, status, requests }: RunView, input: AnswerInput): RecordedAnswer | undefined {
  const { answer, id, messageId } = input;
  // What the engine has refused, after all, is open still.
  const isOpen = ({ answer: given }: RecordedAnswer) => requests.some((request) => request.id === given?.id);
  const recorded = readAnswers(events).filter((each) => !isOpen(each));
  const same = recorded.find((each) => messageId !== undefined && each.messageId === messageId);
  if (same) return requireSameAnswer(same, input);
  const isAsked = status === 'input_required' || status === 'auth_required';
  if (answer === undefined) return isAsked ? undefined : recorded.findLast((each) => !each.answer);
  const question = id ?? onlyOne(listQuestionIds(events));
  const before = recorded.find((each) => each.answer !== undefined && each.answer.id === question);
  if (!before || isDeepStrictEqual(before.answer?.value, answer)) return before;
  throw refusal(`The question ${question} has another answer already.`);
}

/** A message counts once, so another answer under its id is a mistake of the client. */
function requireSameAnswer(recorded: RecordedAnswer, { answer, message }: AnswerInput): RecordedAnswer {
  const hasAnswer = !recorded.answer || isDeepStrictEqual(recorded.answer.value, answer);
  const hasContent =
    !recorded.message || isDeepStrictEqual(readContent(recorded.message), readContent(message ?? {}));
  if (hasAnswer && hasContent) return recorded;
  throw invalid('/body/messageId', 'must be new: it is the id of a message with another answer');
}

/**
 * What a flow reads of a message; its metadata also says which question is meant. What flows that call agents add to
 * it, such as the time that is left, is another each time.
 */
function readContent({ parts, metadata, extensions = [] }: JsonObject): unknown[] {
  const { agent_flow: _, ...read } = Object(metadata);
  return [parts, read, extensions];
}

const onlyOne = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined);

/**
 * The message may have been lost with its sender. If a worker has resumed the run, it has written since, and
 * no message is sent.
 */
async function sendAgain(run: StoredRun, { generation }: RecordedAnswer): Promise<void> {
  if (!isFinal(run.status) && run.generation === generation) await enqueueRun(run);
}

/** As the flow has declared it, so that a slip costs an answer of 400 and not the run. */
async function validateAnswer(view: RunView, input: AnswerInput): Promise<GivenAnswer> {
  const { answer } = input;
  if (answer === undefined) throw invalid('/body/answer', 'must be given');
  const request = findRequest(view, input);
  const fault = await findAnswerFault(request, answer, computeOnce(view.run.orgid));
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

function findRequest(view: RunView, input: AnswerInput): InputRequest {
  const { requests, events } = view;
  const { id } = input;
  const asked = listQuestionIds(events);
  const only = isPlain(view, input) ? onlyOne(requests) : undefined;
  const request = id === undefined ? only : requests.find((each) => each.id === id);
  if (request) return request;
  if (id !== undefined && asked.includes(id)) throw notWaiting(view, { id });
  throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
}

/** No id is needed where no other question can be meant, or where the message counts once. */
const isPlain = ({ events }: RunView, { messageId }: AnswerInput): boolean =>
  messageId !== undefined || listQuestionIds(events).length === 1;

function noAnswer({ answer }: AnswerInput): undefined {
  if (answer !== undefined)
    throw invalid('/body/answer', 'must be left out: the run asks nothing, it waits for connections');
}

/** False when the run is not in that state any more. */
async function handOver(
  run: StoredRun,
  onlyWhen: RunStatus,
  { messageId, message }: AnswerInput = {},
  answer?: GivenAnswer,
): Promise<boolean> {
  const at = new Date();
  const isStored = await appendEvent({
    run,
    event: {
      generation: run.generation + 1,
      at: at.toISOString(),
      status: 'working',
      ...(answer && { answer: JSON.stringify(message ? { id: answer.id } : answer) }),
      ...(messageId !== undefined && { message_id: messageId }),
      ...(message && { message: JSON.stringify(message) }),
    },
    onlyWhen,
    // Nobody holds the lease from here on, not even a worker that resumes the run without an answer at this
    // moment.
    header: { wake_at: 0, lease: '', lease_until: 0, claims: 0, deadline: at.getTime() + queuedLimitMs() },
  });
  if (isStored) await enqueueRun(run);
  return isStored;
}

function notWaiting({ status, events }: RunView, { id }: AnswerInput): ServiceError {
  if (isFinal(status)) return refusal('The run is over.');
  const isPast = id !== undefined && listQuestionIds(events).includes(id);
  return refusal(
    isPast ? `The question ${id} is not open any more.` : 'It is running and does not wait for an answer.',
  );
}

const refusal = (detail: string) => new ServiceError('run_not_waiting', { detail });

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
