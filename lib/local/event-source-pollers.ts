// All that calls functions besides the gateway: queues, lines of logs, and the clock.
import { asyncInvocations } from './async-invocations.ts';
import { startClock } from './clock.ts';
import { startEventSources } from './event-sources.ts';
import type { Functions } from './lambda.ts';
import { startLogSubscriptions } from './log-subscriptions.ts';
import type { Sqs } from './sqs.ts';
import type { Stack } from './stack.ts';

export interface Feeds {
  /** Resolves when nothing is left to deliver; what waits for a time does not count. */
  readonly idle: () => Promise<void>;
  /** Delivers now what waits for a time. */
  readonly hurry: () => void;
  /** Calls the functions of all schedules now. */
  readonly tick: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function startFeeds(stack: Stack, sqs: Sqs, functions: Functions, log: (line: string) => void): Feeds {
  const sources = startEventSources(stack.eventSources, sqs, functions, log);
  const background = asyncInvocations(stack.asyncSettings, { functions, sqs, log });
  const subscriptions = startLogSubscriptions(stack.logSubscriptions, background.invoke);
  const clock = startClock(stack.schedules, functions, log);
  return {
    // What a queue feeds may print lines, and what prints them is over before they are delivered.
    idle: async () => {
      await sources.idle();
      await subscriptions.idle();
      await background.idle();
    },
    hurry: () => {
      sources.hurry();
      background.hurry();
    },
    tick: clock.tick,
    close: async () => {
      await clock.close();
      await sources.close();
      await subscriptions.close();
      background.close();
    },
  };
}
