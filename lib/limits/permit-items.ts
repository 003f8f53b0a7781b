// Three items for each organisation: the runs that its callers wait for, those that they follow, and those with
// whose results its webhooks answer. An item has their number and, for each run, the API key and a time. Every change is one conditional write, so two
// processes cannot both take the last permit, and each permit is counted and removed once.
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { isFailedCondition, itemOfFailedCondition, readString } from '#lib/dynamo/conditions.ts';
import { getItem, updateItem } from '#lib/dynamo/items.ts';

const prefix = 'run_';
const daySeconds = 86_400;

export interface HeldPermit {
  readonly runId: string;
  /** The key of the caller who waits, or the trigger of the event. */
  readonly keyId: string;
  /** Ms since 1970. After that, another caller who needs a permit may find out that this one is unused. */
  readonly untilMs: number;
}

/**
 * A caller waits for the result of its own request, or follows a run that does not depend on the caller; or a
 * webhook waits for the run of an event.
 */
export type PermitUse = 'wait' | 'follow' | 'answer';

/** The item that a permit is in. */
export interface PermitScope {
  readonly orgid: string;
  readonly use: PermitUse;
}

export interface Permit extends HeldPermit, PermitScope {
  /** Seconds since 1970 until which the item is kept: a day after `untilMs` by default. */
  readonly ttl?: number;
}

const sortKeys: Record<PermitUse, string> = { wait: 'SLOTS', follow: 'FOLLOWERS', answer: 'ANSWERS' };

const itemKey = ({ orgid, use }: PermitScope) => ({ pk: `LIMIT#RUNS#${orgid}`, sk: sortKeys[use] });
const attribute = (runId: string) => `${prefix}${runId}`;

export interface PermitAttempt {
  readonly isTaken: boolean;
  /** All permits that are held, this one among them when it was taken. */
  readonly held: readonly HeldPermit[];
}

/**
 * Takes a permit, and removes others in the same write. Those that somebody else has removed are none of its
 * concern: the write is repeated without them.
 */
export async function takePermit(
  permit: Permit,
  permitsMax: number,
  replaced: readonly string[] = [],
): Promise<PermitAttempt> {
  const attempt = await tryTake(permit, permitsMax, replaced);
  const left = replaced.filter((runId) => isHeld(attempt, runId));
  const isRefused = !attempt.isTaken && left.length < replaced.length;
  return isRefused ? await takePermit(permit, permitsMax, left) : attempt;
}

const isHeld = ({ held }: Pick<PermitAttempt, 'held'>, id: string) => held.some(({ runId }) => runId === id);

async function tryTake(
  permit: Permit,
  permitsMax: number,
  replaced: readonly string[],
): Promise<PermitAttempt> {
  const { runId, keyId, untilMs, ttl = Math.ceil(untilMs / 1_000) + daySeconds } = permit;
  const { names, attributes, conditions } = nameRuns(replaced);
  try {
    const taken = await updateItem(lowLatencyRunsTable, itemKey(permit), {
      UpdateExpression: [
        'SET #run = :lease, #ttl = :ttl',
        ...(names.length > 0 ? [`REMOVE ${names.join(', ')}`] : []),
        'ADD taken :more',
      ].join(' '),
      ConditionExpression: [
        '(attribute_not_exists(taken) OR taken < :max)',
        // A write that is repeated after a lost response already has its permit.
        'attribute_not_exists(#run)',
        ...conditions,
      ].join(' AND '),
      ExpressionAttributeNames: { '#run': attribute(runId), '#ttl': 'ttl', ...attributes },
      ExpressionAttributeValues: {
        ':lease': `${untilMs} ${keyId}`,
        ':ttl': ttl,
        ':more': 1 - names.length,
        ':max': permitsMax + names.length,
      },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    return { isTaken: true, held: heldIn(Object.entries(taken)) };
  } catch (error) {
    if (!isFailedCondition(error)) throw error;
    const held = heldInRefusal(error);
    return { isTaken: isHeld({ held }, runId), held };
  }
}

/** The permits of runs in an expression, with the condition that each of them is there. */
function nameRuns(runIds: readonly string[]) {
  const names = runIds.map((_, n) => `#run${n}`);
  return {
    names,
    attributes: Object.fromEntries(names.map((name, n) => [name, attribute(runIds[n] ?? '')])),
    conditions: names.map((name) => `attribute_exists(${name})`),
  };
}

/** Those that were not released yet, also those whose time is over. */
export async function readPermits(permitScope: PermitScope): Promise<readonly HeldPermit[]> {
  return heldIn(Object.entries((await getItem(lowLatencyRunsTable, itemKey(permitScope))) ?? {}));
}

/** Others may remove some of them at the same time, which fails the write of all. */
export async function freePermits(permitScope: PermitScope, runIds: readonly string[]): Promise<void> {
  let left = runIds;
  while (left.length > 0) {
    const held = await removePermits(permitScope, left);
    const stillHeld = new Set(held.map(({ runId }) => runId));
    left = left.filter((runId) => stillHeld.has(runId));
  }
}

/** Removes all or none. Returns the permits that are held if one of them is not. */
async function removePermits(
  permitScope: PermitScope,
  runIds: readonly string[],
): Promise<readonly HeldPermit[]> {
  const { names, attributes, conditions } = nameRuns(runIds);
  try {
    await updateItem(lowLatencyRunsTable, itemKey(permitScope), {
      UpdateExpression: `REMOVE ${names.join(', ')} ADD taken :less`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: attributes,
      ExpressionAttributeValues: { ':less': -runIds.length },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    return [];
  } catch (error) {
    if (!isFailedCondition(error)) throw error;
    return heldInRefusal(error);
  }
}

function heldInRefusal(error: unknown): HeldPermit[] {
  const item = itemOfFailedCondition(error);
  return heldIn(Object.keys(item).map((name) => [name, readString(item, name)]));
}

/** Each run is an attribute of the item: `untilMs`, and the API key. */
function heldIn(attributes: readonly (readonly [name: string, value: unknown])[]): HeldPermit[] {
  return attributes.flatMap(([name, value]) => {
    if (!name.startsWith(prefix) || typeof value !== 'string') return [];
    const [until, keyId = ''] = value.split(' ');
    return [{ runId: name.slice(prefix.length), keyId, untilMs: Number(until) }];
  });
}
