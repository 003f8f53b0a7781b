// What a run was asked and answered, told from its events.
import type { InputRequest } from '#lib/flow/pause.ts';
import type { Json } from '#lib/json.ts';
import { givenAnswer } from './pause.ts';
import type { StoredEvent } from './stored.ts';

interface Given {
  readonly id: string;
  readonly value: Json;
  readonly generation: number;
}

/** The last answer to that question, or without an id to any. */
export function lastAnswer(events: readonly StoredEvent[], id?: string): Given | undefined {
  const given = events.flatMap(({ answer, generation }) =>
    answer === undefined ? [] : [{ ...givenAnswer.parse(JSON.parse(answer)), generation }],
  );
  return given.findLast((each) => id === undefined || each.id === id);
}

/** Of a run that is worked on: it was asked when the run stood still last, and has no answer since. */
export function isStillOpen(events: readonly StoredEvent[], id: string): boolean {
  const last = events.findLast(({ requests }) => requests !== undefined);
  if (last?.requests === undefined) return false;
  const requests: InputRequest[] = JSON.parse(last.requests);
  const answeredAt = lastAnswer(events, id)?.generation ?? 0;
  return requests.some((request) => request.id === id) && answeredAt < last.generation;
}
