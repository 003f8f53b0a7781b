// How long a node waits before its next attempt: the backoff of the flow, with jitter, or longer if the other
// side asks for it.
import { limits } from '../format/limits.ts';
import type { Retry } from '../format/node-fields.ts';

export interface FailedAttempt {
  readonly attempt: number;
  /** The `Retry-After` header of the response, if the error is one that has it. */
  readonly retryAfter: string | undefined;
  /** Identifies the execution in all runs. */
  readonly execution: string;
  /** Ms since 1970. */
  readonly now: number;
}

/**
 * The backoff is shortened by up to a half, so that runs that failed together do not return together.
 * `Retry-After` (RFC 9110 section 10.2.3) is the least delay, and is lengthened by up to a tenth. The jitter is
 * derived from the execution and not random: a run that is resumed repeats what it did before.
 */
export function retryDelayMs(retry: Retry, { attempt, retryAfter, execution, now }: FailedAttempt): number {
  const { delay_ms, backoff = 2, max_delay_ms = limits.delayMsMax } = retry;
  const longest = Math.min(max_delay_ms, limits.delayMsMax);
  const jitter = fraction(`${execution}.${attempt}`);
  const own = Math.min(delay_ms * backoff ** (attempt - 1), longest) * (1 - jitter / 2);
  const asked = (parseRetryAfter(retryAfter, now) ?? 0) * (1 + jitter / 10);
  return Math.round(Math.min(Math.max(own, asked), longest));
}

/** Ms from now; undefined for a header that is neither seconds nor an HTTP date. A date in the past is 0. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  if (!httpDate.test(text)) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/** The three forms of RFC 9110 section 5.6.7. */
const httpDate =
  /^(\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/** From 0 to 1, the same for the same text (FNV-1a, then the finalizer of MurmurHash3). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
