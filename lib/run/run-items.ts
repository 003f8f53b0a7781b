// The runs table. Every change of a run is one transaction: the header moves to the next generation if nobody
// else moved it, if the run is not over and if the writer holds the lease; and the event of that generation
// is put, or kept in the header if it is the last. What its models have used is counted in the same transaction. A
// failed condition is also how a runner learns that its run was canceled or taken over.
import { runsTable } from '#lib/dynamo/client.ts';
import {
  isFailedCondition,
  isFailedConditionReason,
  itemOfFailedCondition,
  type MarshalledItem,
  mustNotExist,
  readNumber,
  readString,
} from '#lib/dynamo/conditions.ts';
import { claimItem, getItem, type Item, putItemIf, updateItem } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { isTransactionConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { retry } from '#lib/retry.ts';
import type { UsageWrite } from '#lib/usage/usage-items.ts';
import { storeLargeResponse, withResponse } from './large-response.ts';
import { wakePush } from './push-queue.ts';
import {
  decryptEvent,
  encryptEvent,
  encryptHeader,
  type HeaderData,
  type RunScope,
} from './run-encryption.ts';
import { toSortKey } from './run-position.ts';
import { packEnd, unpackEnd } from './stored-end.ts';
import {
  type EventItem,
  endedHeader,
  eventItem,
  isFinal,
  keepUntil,
  parseRun,
  type RunStatus,
  readStatusTimestamp,
  runKey,
  type StoredEvent,
  type StoredRun,
  withDerived,
  withoutDerived,
} from './stored-run.ts';
import { taskKeys } from './task-list-items.ts';

/**
 * Runs of a workspace and of a flow in it, by the time of their start; the flow, the workspace and the caller never
 * change, so neither do the keys.
 */
export const listKeys = (run: StoredRun) => ({
  gsi1pk: workspaceRuns(run),
  gsi1sk: toSortKey(run),
  gsi2pk: flowRuns(run),
  gsi2sk: toSortKey(run),
});
type FlowScope = Pick<StoredRun, 'orgid' | 'workspaceid' | 'flowid'>;
export const workspaceRuns = ({ orgid, workspaceid }: Omit<FlowScope, 'flowid'>) =>
  `WSRUNS#${orgid}#${workspaceid}`;
export const flowRuns = (scope: FlowScope) => `${workspaceRuns(scope)}#FLOW#${scope.flowid}`;

/** False when the run exists already. */
export async function insertRun(run: StoredRun): Promise<boolean> {
  return await putHeader(run, { ...listKeys(run), ...taskKeys(run), ...run });
}

/**
 * A run that holds a permit, by which lists find it until its first event puts it into the indexes. Those of the
 * workspace do not see the permits of another organisation.
 */
async function insertHeldRun(run: StoredRun): Promise<boolean> {
  const indexKeys = run.caller_orgid === run.orgid ? {} : listKeys(run);
  return await putHeader(run, { ...indexKeys, ...withoutDerived(run) });
}

/** Of a run whose header is not stored yet (`deferred-header.ts`). */
export interface DeferredHeader {
  readonly isPending: () => boolean;
  /** Stores it unless it is stored. False when another process has stored a run of this id. */
  readonly store: () => Promise<boolean>;
  /** Call it once it is stored with the end. */
  readonly settle: () => void;
}

/** A run that this process executes. Answers the run of this id that another process has stored, if there is one. */
export async function insertUnlessOther(run: StoredRun): Promise<StoredRun | undefined> {
  if (run.mode === 'inline' ? await insertHeldRun(run) : await insertRun(run)) return undefined;
  const stored = await readRun(run.run_id);
  // A write whose answer was lost fails its condition when it is repeated.
  return stored?.lease === run.lease ? undefined : stored;
}

async function putHeader(run: StoredRun, header: Partial<HeaderData>): Promise<boolean> {
  const item = { ...runKey(run.run_id), ...(await encryptHeader(run, header)) };
  return await putItemIf(runsTable, item, mustNotExist);
}

export async function readRun(id: string): Promise<StoredRun | undefined> {
  const item = await getItem(runsTable, runKey(id));
  return item && parseRun(item);
}

export interface Append {
  /** As the header is now. */
  readonly run: StoredRun;
  /** Its generation becomes that of the header, which must be one lower now. */
  readonly event: StoredEvent;
  /** Absent for what is done from outside, such as a cancel, which needs no lease. */
  readonly lease?: { readonly holder: string; readonly until: number };
  /** Of a run whose header may not be stored yet: it is stored with the event if that is the end, or else before it. */
  readonly deferred?: DeferredHeader | undefined;
  /** What the header must say, for a change that is right in one state alone. */
  readonly onlyWhen?: RunStatus;
  /** What else changes in the header. */
  readonly header?: HeaderChange;
  /** The item of the snapshot. */
  readonly snapshot?: object | undefined;
  /** The items by which a run that waits is found. */
  readonly waiting?: readonly object[] | undefined;
}

export type HeaderChange = Partial<
  Pick<
    StoredRun,
    | 'mode'
    | 'deadline'
    | 'wake_at'
    | 'awaits_events'
    | 'remote_tasks'
    | 'lease'
    | 'lease_until'
    | 'input'
    | 'claims'
    | 'ttl'
  >
>;

/** False when the run was canceled, taken over or changed in between. */
export async function appendEvent(given: Append): Promise<boolean> {
  const { run, header, deferred } = given;
  const event = await encryptEvent(run, await storeLargeResponse(given));
  const append = {
    ...given,
    event,
    end: given.snapshot || given.waiting?.length ? undefined : await packEnd(event),
    ...(header && { header: await encryptHeader(run, header) }),
  };
  const isFirst = deferred?.isPending() === true && endsInHeader(append);
  if (deferred && !isFirst && !(await deferred.store())) return false;
  const outcome = await retry(() => tryAppend({ ...append, isFirst }), { triesMax: 6, pauseMs: 40 });
  if (!outcome)
    throw new ServiceError('dependency_unavailable', { cause: 'The header of the run is contended.' });
  if (typeof outcome === 'object') return await appendEvent({ ...given, run: { ...run, ...outcome } });
  if (outcome === 'stored') await wakePush(run, event);
  return outcome === 'stored';
}

interface EncryptedAppend extends Omit<Append, 'event'> {
  readonly event: EventItem;
  /** The event as the header has it; absent where it has an item of its own. */
  readonly end: Uint8Array | undefined;
  /** Whether the header is stored with it. */
  readonly isFirst: boolean;
}

/** What the writer of an event must know of the header beside its condition. */
type PushConfigCount = Required<Pick<Append['run'], 'push_configs'>>;

/**
 * Undefined after a conflict with another transaction on the header, such as a cancel during the runner's
 * write; `resendOnConflict` has tried several times by then. The number of push notification configurations
 * if the writer did not know that there are any.
 */
async function tryAppend(
  append: EncryptedAppend,
): Promise<'stored' | 'refused' | PushConfigCount | undefined> {
  const outcome = await write(append);
  if (outcome === 'stored' || outcome === undefined) return outcome;
  const { found } = outcome;
  if (append.end && found && isOfWrite(found, append)) return 'stored';
  const push_configs = readNumber(found, 'push_configs');
  return append.run.push_configs === undefined && push_configs !== undefined ? { push_configs } : 'refused';
}

/** `found` is the header that has failed the condition. Undefined after a conflict. */
type WriteOutcome = 'stored' | { readonly found: MarshalledItem | undefined } | undefined;

/** No other item is written. */
const endsInHeader = ({ end, event }: Pick<EncryptedAppend, 'end' | 'event'>): boolean =>
  end !== undefined && event.usage === undefined;

async function write(append: EncryptedAppend): Promise<WriteOutcome> {
  if (!endsInHeader(append)) return await writeWithItems(append);
  return await unlessContended(() => (append.isFirst ? putEnded(append) : writeHeader(append)));
}

async function unlessContended(write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
  try {
    return await write();
  } catch (error) {
    if (isTransactionConflict(error)) return undefined;
    throw error;
  }
}

async function putEnded(append: EncryptedAppend): Promise<WriteOutcome> {
  const { run } = append;
  const header = { ...(await encryptHeader(run, withoutDerived(run))), ...headerChanges(append) };
  const found = await claimItem(runsTable, { ...runKey(run.run_id), ...header }, mustNotExist);
  if (!found) return 'stored';
  const isOwn = readNumber(found, 'generation') === 0 && readString(found, 'lease') === run.lease;
  return isOwn ? await writeHeader(append) : { found };
}

async function writeHeader(append: EncryptedAppend): Promise<WriteOutcome> {
  const { Key, ...update } = headerUpdate(append);
  try {
    await updateItem(runsTable, Key, update);
    return 'stored';
  } catch (error) {
    if (isFailedCondition(error)) return { found: itemOfFailedCondition(error) };
    throw error;
  }
}

async function writeWithItems(append: EncryptedAppend): Promise<WriteOutcome> {
  const { run, event, end, snapshot, waiting = [] } = append;
  const ttl = expiryAfter(append);
  const own = end ? undefined : { ...runKey(run.run_id, event.generation), ...event };
  const puts = [own, snapshot, ...waiting].flatMap((item) => (item === undefined ? [] : [{ ...item, ttl }]));
  const usage = await countEvent(run, event);
  const reasons = await transactWrite(runsTable, [
    { Update: headerUpdate(append) },
    ...puts.map((Item) => ({ Put: { Item } })),
    ...(usage?.actions ?? []),
  ]);
  usage?.settle(!reasons);
  if (!reasons) return 'stored';
  return reasons.some(isFailedConditionReason) ? { found: reasons[0]?.item } : undefined;
}

async function countEvent(run: StoredRun, { usage, at }: EventItem): Promise<UsageWrite | undefined> {
  if (usage === undefined) return undefined;
  const { orgid, workspaceid, flowid, caller_id, caller_orgid } = run;
  const key = caller_orgid === orgid ? caller_id : undefined;
  const { countUsage } = await import('#lib/usage/usage-items.ts');
  return countUsage({ orgid, workspaceid, flowid, key }, JSON.parse(usage), at);
}

/**
 * The client of DynamoDB sends a write again whose answer was lost, and the repetition fails by the effect of the
 * first. It does not for a transaction, which has a token.
 */
const isOfWrite = (header: MarshalledItem, { event, lease }: EncryptedAppend): boolean =>
  readNumber(header, 'generation') === event.generation &&
  readString(header, 'updated_at') === event.at &&
  readString(header, 'status') === event.status &&
  (lease === undefined || readString(header, 'lease') === lease.holder);

/** The run is not over. */
export const isOpen = 'NOT #status IN (:completed, :failed, :canceled)';
/** The values that `isOpen` refers to. */
export const finalValues = { ':completed': 'completed', ':failed': 'failed', ':canceled': 'canceled' };

/** The end of a run that has rested for long brings its expiry nearer. */
function expiryAfter({ run, event, header }: EncryptedAppend): number {
  return isFinal(event.status) ? Math.min(run.ttl, keepUntil(Date.now())) : (header?.ttl ?? run.ttl);
}

function headerChanges(append: EncryptedAppend): Readonly<Record<string, unknown>> {
  const { run, event, end, lease, header } = append;
  return {
    generation: event.generation,
    status: event.status,
    updated_at: event.at,
    ...(event.generation === 1 && {
      status_timestamp: readStatusTimestamp(run),
      context_id: run.context_id,
      ...listKeys(run),
      ...taskKeys(run),
    }),
    ...(event.status !== run.status && {
      status_timestamp: event.at,
      ...taskKeys({ ...run, status_timestamp: event.at }),
    }),
    ...(event.as && { as: event.as }),
    ...(isFinal(event.status) && { ended_at: event.at, ttl: expiryAfter(append) }),
    ...(end && { end }),
    ...(lease && { lease_until: lease.until }),
    ...(run.mode === 'inline' && header?.mode === 'queued' && { began_inline: true }),
    ...header,
  };
}

function headerUpdate(append: EncryptedAppend) {
  const { run, event, lease, onlyWhen } = append;
  const changes = headerChanges(append);
  const names = Object.keys(changes);
  return {
    Key: runKey(run.run_id),
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ConditionExpression: [
      `#generation = :seen AND ${isOpen}`,
      ...(lease ? ['lease = :holder'] : []),
      ...(onlyWhen ? ['#status = :expected'] : []),
      ...(run.push_configs === undefined ? ['attribute_not_exists(push_configs)'] : []),
    ].join(' AND '),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [`:${name}`, value])),
      ...finalValues,
      ':seen': event.generation - 1,
      ...(lease && { ':holder': lease.holder }),
      ...(onlyWhen && { ':expected': onlyWhen }),
    },
  };
}

/** In order, after a generation. */
export async function readEvents(id: string, after = 0): Promise<StoredEvent[]> {
  const items = await readEventItems(id, after);
  return await Promise.all(items.map((item) => withResponse(id, item)));
}

/** The event with the last answer that was recorded after a generation, decrypted. */
export async function readLastAnswer(run: RunScope, after: number): Promise<StoredEvent | undefined> {
  const events = await readEvents(run.run_id, after);
  const answered = events.findLast((event) => event.answer !== undefined);
  return answered && (await decryptEvent(run, answered));
}

/** For who asks only whether there are any. The header, which may have the last one, is the item behind them. */
export async function readEventItems(id: string, after: number): Promise<EventItem[]> {
  const items = await queryItems(id, after + 1, runKey(id).sk);
  const events = await Promise.all(
    items.map((item) => (isHeader(item) ? readEnd(item) : eventItem.parse(item))),
  );
  return events.filter((event) => event !== undefined).filter(({ generation }) => generation > after);
}

const isHeader = ({ sk }: Item) => sk === 'HEAD';
const readEnd = async (item: Item) => await unpackEnd(endedHeader.parse(withDerived(item)));

/** Those up to the generation of a header that was read: it has the last event of a run that is over. */
export async function readRunEvents(run: StoredRun, after = 0): Promise<StoredEvent[]> {
  const items = await readRunEventItems(run, after);
  return await Promise.all(items.map((item) => withResponse(run.run_id, item)));
}

export async function readRunEventItems(run: StoredRun, after = 0): Promise<EventItem[]> {
  const end = await unpackEnd(run);
  const last = end ? run.generation - 1 : run.generation;
  const items = last > after ? await queryItems(run.run_id, after + 1, runKey(run.run_id, last).sk) : [];
  const events = items.map((item) => eventItem.parse(item));
  return end && run.generation > after ? [...events, end] : events;
}

const queryItems = async (id: string, first: number, last: string): Promise<Item[]> =>
  await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': runKey(id).pk, ':first': runKey(id, first).sk, ':last': last },
    ConsistentRead: true,
  });
