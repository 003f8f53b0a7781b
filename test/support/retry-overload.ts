// Repeats a request while the service answers 503, which an overloaded machine causes. Measurements then wait
// instead of failing.
import { setTimeout } from 'node:timers/promises';

interface RetryOptions {
  /** How long to repeat the request in all: a service that still answers 503 after minutes is broken. */
  readonly waitMsMax?: number;
  /** The pause before the next attempt if the response has no Retry-After. */
  readonly pauseMs?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly now?: () => number;
}

interface Answer {
  readonly status: number;
  readonly headers?: Headers;
}

/** Resolves to the first response that is not a 503, or to the last 503 when the time is up. */
export async function retryOverload<A extends Answer>(
  send: () => Promise<A>,
  options: RetryOptions = {},
): Promise<A> {
  const { waitMsMax = 120_000, pauseMs = 2_000, sleep = setTimeout, now = () => performance.now() } = options;
  for (const end = now() + waitMsMax; ; ) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    const pause = 1_000 * Number(answer.headers?.get('retry-after') ?? 0) || pauseMs;
    if (now() + pause > end) return answer;
    await sleep(pause);
  }
}
