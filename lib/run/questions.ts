// What a run has asked so far and what it was told, read from its events: so that nothing is taken for the answer to something else.
import type { Json } from '#lib/json/json.ts';
import { plainOf } from './encrypted-run.ts';
import { givenAnswer, inputRequest } from './pause.ts';
import type { StoredEvent } from './stored-run.ts';

/** What sent a run that stood still on its way: an answer or, without one, the word that its connections are stored. */
export interface Told {
  /** Of the event that holds it. */
  readonly generation: number;
  readonly answer: { readonly id: string; readonly value: Json } | undefined;
  readonly messageId: string | undefined;
}

/** Of events whose answers are decrypted (`withAnswers`). */
export function toldIn(events: readonly StoredEvent[]): Told[] {
  return events
    .filter((event, n) => event.answer !== undefined || isBegun(event, events[n - 1]))
    .map(({ generation, answer, message_id: messageId }) => ({
      generation,
      answer: answer === undefined ? undefined : givenAnswer.parse(JSON.parse(plainOf(answer))),
      messageId,
    }));
}

/** A run leaves this state when it is told to, or when it is canceled. */
const isBegun = ({ status }: StoredEvent, before: StoredEvent | undefined): boolean =>
  before?.status === 'auth_required' && status === 'working';

/** Ids of all questions, also of those that are not open any more. */
export function idsAskedIn(events: readonly StoredEvent[]): string[] {
  const ids = events.flatMap(({ requests }) =>
    requests === undefined ? [] : asked.parse(JSON.parse(requests)).map(({ id }) => id),
  );
  return [...new Set(ids)];
}

/** Of a run that is worked on: ids of what it asked when it stood still last, without those that have an answer since. */
export function idsStillOpenIn(events: readonly StoredEvent[]): string[] {
  const last = events.findLast(({ requests }) => requests !== undefined);
  if (!last) return [];
  const since = toldIn(events).filter(({ generation }) => generation > last.generation);
  return idsAskedIn([last]).filter((id) => since.every(({ answer }) => answer?.id !== id));
}

const asked = inputRequest.pick({ id: true }).strip().array();
