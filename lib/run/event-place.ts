// Where a key's events for a flow go, and the secrets that they must be signed with: looked up once in ten seconds by each process.
import { LRUCache } from 'lru-cache';
import type { Caller } from '#lib/access/caller.ts';
import { secretsInForce } from '#lib/access/signing-secret/sealed.ts';
import { ServiceError } from '#lib/errors.ts';
import { findFlowOf } from '#lib/registry/find-agent.ts';
import type { Secret } from '#lib/secret.ts';

export interface EventPlace {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  /** In force for the flow; events need no signature where there are none. */
  readonly secrets: readonly Secret[];
}

/** A change of the live build is seen within seconds, and the worker looks again anyway. */
const places = new LRUCache<string, EventPlace>({ max: 1_000, ttl: 10_000 });

/** Ids of keys are unique within an organisation. */
const nameOf = (caller: Caller, flowid: string) => `${caller.orgid}/${flowid}/${caller.id}`;

export async function placeOf(caller: Caller, flowid: string, nowMs: number): Promise<EventPlace> {
  const known = places.get(nameOf(caller, flowid));
  if (known) return known;
  const flow = await findFlowOf(caller, flowid);
  if (!flow)
    throw new ServiceError('trigger_not_found', { detail: `There is no flow ${flowid} with a live build.` });
  const { orgid, workspaceid } = flow;
  const place = await withSecrets({ orgid, workspaceid, flowid }, nowMs);
  places.set(nameOf(caller, flowid), place);
  return place;
}

/** The place with the secrets that are in force now. */
export const withSecrets = async (
  { orgid, workspaceid, flowid }: Omit<EventPlace, 'secrets'>,
  nowMs: number,
): Promise<EventPlace> => ({
  orgid,
  workspaceid,
  flowid,
  secrets: await secretsInForce({ orgid, workspaceid, flowid }, nowMs),
});
