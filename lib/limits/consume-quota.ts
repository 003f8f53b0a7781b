// Decides whether a caller may send another request: by its API key, or its user in all sessions, then by its
// organisation.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { principalKind } from '#lib/access/principal.ts';
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { requestLog } from '#lib/log.ts';
import { tenantLimits, windowSeconds } from './tenant-limits.ts';
import { newWindowCounter, type WindowDecision } from './window-counter.ts';

export interface RateLimitDecision extends WindowDecision {
  readonly name: 'key' | 'user' | 'org';
}

const count = newWindowCounter(addUnlessUnavailable);

/** The decisions that were made. Only the last one can be a refusal. */
export async function consumeQuota(caller: Caller, nowMs: number): Promise<readonly RateLimitDecision[]> {
  const { key_requests, org_requests } = tenantLimits();
  const name = principalKind(caller.id) === 'user' ? 'user' : 'key';
  const own = await count(`KEY#${caller.id}`, key_requests, nowMs);
  if (!own.isAllowed) return [{ name, ...own }];
  const org = await count(`ORG#${caller.orgid}`, org_requests, nowMs);
  return [
    { name, ...own },
    { name: 'org', ...org },
  ];
}

/**
 * What requests without credentials are counted by: their address, the link that they carry, the task that they
 * are about, the webhook that they are sent to.
 */
export type VisitorKind = 'ADDRESS' | 'LINK' | 'TASK' | 'REGISTRATION' | 'WEBHOOK';

/** The names are prefixed, as ids of API keys and organisations cannot be chosen by a sender either. */
export async function consumeVisitorQuota(
  by: VisitorKind,
  id: string,
  nowMs: number,
): Promise<WindowDecision> {
  const { address_requests, link_requests, address_registrations, key_requests } = tenantLimits();
  const quotas = {
    ADDRESS: address_requests,
    LINK: link_requests,
    TASK: link_requests,
    REGISTRATION: address_registrations,
    WEBHOOK: key_requests,
  };
  return await count(`${by}#${id}`, quotas[by], nowMs);
}

/**
 * If the table does not respond, the process continues with its own count, so that the limit causes no
 * outage.
 */
async function addUnlessUnavailable(id: string, window: number, requests: number): Promise<number> {
  try {
    return await addRequests(id, window, requests);
  } catch (error) {
    requestLog({ limit: id }).warn('requests were counted by this process alone', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return 0;
  }
}

const keptSeconds = 3_600;
const counter = /* @__PURE__ */ z.lazy(() => z.object({ requests: z.number() }));

/**
 * Adds to the count that all processes share: an item per caller and window in the runs table. Returns the
 * new count. If a response is lost the SDK counts twice, so callers may get fewer requests, never more.
 */
async function addRequests(id: string, window: number, count: number): Promise<number> {
  const key = { pk: `LIMIT#${id}`, sk: `W#${window}` };
  const attributes = await updateItem(lowLatencyRunsTable, key, {
    UpdateExpression: 'SET #ttl = :ttl ADD requests :count',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':count': count, ':ttl': (window + 1) * windowSeconds + keptSeconds },
    ReturnValues: 'UPDATED_NEW',
  });
  return counter.parse(attributes).requests;
}
