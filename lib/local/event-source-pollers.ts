// Everything that invokes functions besides the gateway: queues, log subscriptions, asynchronous invocations
// and schedules.
import { asyncInvocations } from './async-invocations.ts';
import { startClock } from './clock.ts';
import { startEventSources } from './event-sources.ts';
import type { Functions } from './lambda.ts';
import { startLogSubscriptions } from './log-subscriptions.ts';
import type { Sqs } from './sqs.ts';
import type { Stack } from './stack.ts';

export interface Pollers {
  /** Resolves when nothing is left to deliver, of all queues or of one, apart from delayed messages and retries. */
  readonly idle: (queueName?: string) => Promise<void>;
  /** Delivers delayed messages and waiting retries now: all, or those of one queue. */
  readonly flushDelayed: (queueName?: string) => void;
  /** Calls the functions of all schedules now. */
  readonly tick: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** For a host whose queues and schedules another one reads. */
export const noPollers: Pollers = {
  idle: async () => {},
  flushDelayed: () => {},
  tick: async () => {},
  close: async () => {},
};

export function startPollers(
  stack: Stack,
  sqs: Sqs,
  functions: Functions,
  log: (line: string) => void,
): Pollers {
  const sources = startEventSources(stack.eventSources, sqs, functions, log);
  const background = asyncInvocations(stack.asyncSettings, { functions, sqs, log });
  const subscriptions = startLogSubscriptions(stack.logSubscriptions, background.invoke);
  const clock = startClock(stack.schedules, functions, log);
  return {
    // Functions invoked from queues may print log lines that are subscribed to, so the queues come first.
    idle: async (queueName) => {
      await sources.idle(queueName);
      if (queueName !== undefined) return;
      await subscriptions.idle();
      await background.idle();
    },
    flushDelayed: (queueName) => {
      sources.flushDelayed(queueName);
      if (queueName === undefined) background.flushDelayed();
    },
    tick: clock.tick,
    close: async () => {
      await Promise.all([clock.close(), sources.close()]);
      await subscriptions.close();
      background.close();
    },
  };
}
