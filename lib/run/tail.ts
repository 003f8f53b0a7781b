// The events of a run as they come, whoever writes them and wherever: read again and again, seldom while nothing happens. What looks at
// runs from outside (waiting for a state, streams of events) is made of this.
import { setTimeout } from 'node:timers/promises';
import { readEventItems, readEvents } from './store.ts';
import { isFinal, type StoredEvent } from './stored.ts';

const pollMsMin = 100;
const pollMsMax = 1_000;

/** Ends after the last event of the run, or when the time is up. */
export function tail(id: string, after: number, forMs: number): AsyncGenerator<StoredEvent> {
  return following(readEvents, id, after, forMs);
}

/** Settles with the first event after a generation, or when the time is up. */
export async function untilChanged(id: string, after: number, forMs: number): Promise<void> {
  for await (const _event of following(readEventItems, id, after, forMs)) return;
}

async function* following<E extends Pick<StoredEvent, 'generation' | 'status'>>(
  read: (id: string, after: number) => Promise<E[]>,
  id: string,
  after: number,
  forMs: number,
): AsyncGenerator<E> {
  const endsAt = performance.now() + forMs;
  let seen = after;
  for (let pauseMs = pollMsMin; ; pauseMs = Math.min(pauseMs * 1.5, pollMsMax)) {
    for (const event of await read(id, seen)) {
      seen = event.generation;
      pauseMs = pollMsMin;
      yield event;
      if (isFinal(event.status)) return;
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) return;
    await setTimeout(Math.min(pauseMs, leftMs));
  }
}
