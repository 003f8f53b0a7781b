// Request rates: 429 beyond them, and on every answer to a caller the headers of
// draft-ietf-httpapi-ratelimit-headers-10.

import { type ErrorCode, ServiceError } from '#lib/errors.ts';
import type { RateLimitDecision } from '#lib/limits/consume-quota.ts';
import { windowSeconds } from '#lib/limits/tenant-limits.ts';

export function requireQuota(decisions: readonly RateLimitDecision[]): void {
  const refused = decisions.find(({ isAllowed }) => !isAllowed);
  if (!refused) return;
  const detail = `${senders[refused.name]} may send ${refused.quota} requests in ${windowSeconds} seconds.`;
  throw new ServiceError('rate_limited', { detail });
}

const senders = { key: 'This API key', user: 'This user', org: 'This organisation' } as const;

export function limitHeaders(
  decisions: readonly RateLimitDecision[] | undefined,
  code: ErrorCode | undefined,
): Record<string, string> {
  // A route that refuses a valid key like an invalid one must not show that it knows the key.
  if (!decisions || decisions.length === 0 || code === 'unauthenticated') return {};
  const waitSeconds = Math.max(...decisions.map(({ resetSeconds }) => resetSeconds));
  return {
    'ratelimit-policy': decisions
      .map(({ name, quota }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: decisions
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
    ...(code === 'rate_limited' && { 'retry-after': String(waitSeconds) }),
  };
}
