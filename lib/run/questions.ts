// The questions of a run and the answers that were recorded, read from its events, so that no answer is
// assigned to another question.
import * as z from 'zod';
import { requirePlain } from '#lib/caller-data.ts';
import { readSentAnswer } from '#lib/flow/engine/message-answer.ts';
import { built } from '#lib/json/built-schema.ts';
import { type Json, type JsonObject, jsonObject } from '#lib/json/json.ts';
import { givenAnswer, inputRequest } from './pause.ts';
import type { StoredEvent } from './stored-run.ts';

/** What resumed a paused run: an answer or, without one, the message that its connections are stored. */
export interface RecordedAnswer {
  /** The generation of the event that holds it. */
  readonly generation: number;
  readonly answer: { readonly id: string; readonly value: Json } | undefined;
  readonly messageId: string | undefined;
  /** The A2A message with the answer, as it was sent. */
  readonly message: JsonObject | undefined;
}

/** The answers of the events must be decrypted (`withAnswers`). */
export function readAnswers(events: readonly StoredEvent[]): RecordedAnswer[] {
  return events
    .filter((event, n) => event.answer !== undefined || isBegun(event, events[n - 1]))
    .map((event) => {
      const message = readMessage(event);
      return {
        generation: event.generation,
        answer: readAnswer(event, message),
        messageId: event.message_id,
        message,
      };
    });
}

const readMessage = ({ message }: StoredEvent): JsonObject | undefined =>
  message === undefined ? undefined : jsonObject.parse(JSON.parse(requirePlain(message)));

function readAnswer({ answer }: StoredEvent, message: JsonObject | undefined): RecordedAnswer['answer'] {
  if (answer === undefined) return undefined;
  const { id, value } = givenAnswer.parse(JSON.parse(requirePlain(answer)));
  if (value !== undefined || !message) return { id, value: value ?? null };
  return { id, value: readSentAnswer(message) };
}

/** A run leaves this state when somebody resumes it, or when it is canceled. */
const isBegun = ({ status }: StoredEvent, before: StoredEvent | undefined): boolean =>
  before?.status === 'auth_required' && status === 'working';

/** Ids of all questions, also of those that are not open any more. */
export function listQuestionIds(events: readonly StoredEvent[]): string[] {
  const ids = events.flatMap(({ requests }) =>
    requests === undefined ? [] : asked.parse(JSON.parse(requests)).map(({ id }) => id),
  );
  return [...new Set(ids)];
}

/**
 * For a run that is being executed: ids of what it asked when it was last paused, without those that were
 * answered since.
 */
export function listOpenIds(events: readonly StoredEvent[]): string[] {
  const last = events.findLast(({ requests }) => requests !== undefined);
  if (!last) return [];
  const since = readAnswers(events).filter(({ generation }) => generation > last.generation);
  return listQuestionIds([last]).filter((id) => since.every(({ answer }) => answer?.id !== id));
}

const asked = /* @__PURE__ */ z.lazy(() => built(inputRequest).pick({ id: true }).strip().array());
