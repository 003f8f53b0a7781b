// Whether a caller may ask once more: by key, then by organisation.

import type { Caller } from '#lib/access/caller.ts';
import { requestLog } from '#lib/log.ts';
import { addRequests } from './quota-items.ts';
import { tenantLimits } from './tenant-limits.ts';
import { newWindowCounter, type WindowDecision } from './window-counter.ts';

export interface RateLimitDecision extends WindowDecision {
  readonly name: 'key' | 'org';
}

const count = newWindowCounter(addOrAlone);

/** All turns that were looked at; the last one is a refusal, or none is. */
export async function consumeQuota(caller: Caller, nowMs: number): Promise<readonly RateLimitDecision[]> {
  const { key_requests, org_requests } = tenantLimits();
  const key = await count(`KEY#${caller.id}`, key_requests, nowMs);
  if (!key.isAllowed) return [{ name: 'key', ...key }];
  const org = await count(`ORG#${caller.orgid}`, org_requests, nowMs);
  return [
    { name: 'key', ...key },
    { name: 'org', ...org },
  ];
}

/** Without an answer a process goes on with its own count: a limit must not be what brings the service down. */
async function addOrAlone(id: string, window: number, requests: number): Promise<number> {
  try {
    return await addRequests(id, window, requests);
  } catch (error) {
    requestLog({ limit: id }).warn('requests were counted by this process alone', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return 0;
  }
}
