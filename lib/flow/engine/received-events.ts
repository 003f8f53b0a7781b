// The events that a run receives: those that were sent for its open waits when it was resumed, and which it has
// received before. A wait receives none that the run had received before the wait began.
import { limits } from '../format/limits.ts';
import type { AwaitedEvent, ReceivedEvent } from './pause.ts';

/** Plain JSON, which snapshots contain. */
export interface ReceivedEvents {
  /** How many the run has received. */
  readonly count: number;
  /** Of each that a wait could still find, by its `ref`: how many the run had received with it. */
  readonly recent: Readonly<Record<string, number>>;
}

/** A wait that began before the run received an event in another branch receives it, too. */
export const wasReceived = (
  { received: before = 0 }: Pick<AwaitedEvent, 'received'>,
  received: ReceivedEvents | undefined,
  ref: string,
): boolean => (received?.recent[ref] ?? Number.POSITIVE_INFINITY) <= before;

/** Between the clocks of processes, in ms. */
const skewMs = 60_000;

export function addReceived(
  before: ReceivedEvents | undefined,
  { ref }: Pick<ReceivedEvent, 'ref'>,
  now: number,
): ReceivedEvents {
  const { count = 0, recent = {} } = before ?? {};
  const oldest = new Date(now - limits.eventKeepSeconds * 1000 - skewMs).toISOString();
  const kept = Object.entries(recent).filter(([each]) => each > oldest);
  return { count: count + 1, recent: { ...Object.fromEntries(kept), [ref]: count + 1 } };
}
