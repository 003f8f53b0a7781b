// The run queue as SQS promises it and no more: a message comes at least once, in any operation, again when
// its acknowledgement got lost, and after its last delivery it is set aside.
import { queueSources } from '#lib/routes/event-sources.ts';

export interface Message {
  readonly id: string;
  readonly body: string;
  /** Deliveries so far. */
  received: number;
}

export interface RunQueue {
  readonly send: (body: string) => void;
  readonly isEmpty: () => boolean;
  /** Any of those that wait, delayed ones too: sooner or later their time comes. */
  readonly receive: (count: number) => Message[];
  /** Its visibility ran out while somebody works on it, or nobody acknowledged it. */
  readonly comeAgain: (message: Message) => void;
  /** What was given up after its last delivery. */
  readonly setAside: string[];
}

export function newRunQueue(random: () => number): RunQueue {
  const waiting: Message[] = [];
  const setAside: string[] = [];
  return {
    send: (body) => void waiting.push({ id: crypto.randomUUID(), body, received: 0 }),
    isEmpty: () => waiting.length === 0,
    receive: (count) =>
      Array.from({ length: Math.min(count, waiting.length) }, () =>
        waiting.splice(Math.floor(random() * waiting.length), 1),
      )
        .flat()
        .map((message) => ({ ...message, received: message.received + 1 })),
    comeAgain: (message) => {
      if (message.received >= queueSources.runQueued.receiveCountMax) setAside.push(message.body);
      else waiting.push(message);
    },
    setAside,
  };
}
