// Repeats a request while the service answers 503, which an overloaded machine causes: the bench then waits
// instead of failing.
import { setTimeout } from 'node:timers/promises';

/** A busy machine recovers within minutes; a service that still answers 503 after that is broken. */
const attemptsMax = 60;
const pauseSecondsDefault = 2;

export async function fetchPatiently(url: string, init: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, init);
    if (response.status !== 503 || attempt === attemptsMax) return response;
    await response.body?.cancel();
    await setTimeout(1_000 * (Number(response.headers.get('retry-after')) || pauseSecondsDefault));
  }
}
