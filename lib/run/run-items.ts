// The runs table. Every change of a run is one transaction: the header moves to the next generation if nobody
// else moved it, if the run is not over and if the writer holds the lease; and the event of that generation
// is put. A failed condition is also how a runner learns that its run was canceled or taken over. A response
// that is too large for its event is stored in chunks, which the event names. What callers sent (the input,
// the callback URL and answers) is encrypted by each write, and decrypted only for those who ask for it: code
// that only looks at a run needs no key.
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import {
  type AttributeKey,
  type CallerData,
  decryptCallerData,
  encryptCallerData,
} from '#lib/caller-data.ts';
import { type ChunkSeries, readChunks, writeChunks } from '#lib/dynamo/chunks.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, mustNotExist, readNumber } from '#lib/dynamo/conditions.ts';
import { getItem, putItemIf, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { retry } from '#lib/retry.ts';
import { wakePush } from './push-queue.ts';
import {
  type EventItem,
  eventItem,
  graceMs,
  isFinal,
  keepUntil,
  type RunStatus,
  runKey,
  type StoredEvent,
  type StoredRun,
  storedRun,
} from './stored-run.ts';
import { taskKeys } from './task-list-items.ts';

/**
 * Runs of a workspace and of a flow in it, by the time of their start; the flow and the workspace never
 * change, so neither do the keys.
 */
const listKeys = ({ orgid, workspaceid, flowid, created_at, run_id }: StoredRun) => ({
  gsi1pk: workspaceRuns({ orgid, workspaceid }),
  gsi1sk: `${created_at}#${run_id}`,
  gsi2pk: flowRuns({ orgid, workspaceid, flowid }),
  gsi2sk: `${created_at}#${run_id}`,
});
type FlowScope = Pick<StoredRun, 'orgid' | 'workspaceid' | 'flowid'>;
export const workspaceRuns = ({ orgid, workspaceid }: Omit<FlowScope, 'flowid'>) =>
  `WSRUNS#${orgid}#${workspaceid}`;
export const flowRuns = (scope: FlowScope) => `${workspaceRuns(scope)}#FLOW#${scope.flowid}`;

/** False when the run exists already. */
export async function insertRun(run: StoredRun): Promise<boolean> {
  const keys = { ...runKey(run.run_id), ...listKeys(run), ...taskKeys(run) };
  const item = { ...keys, ...(await encryptHeader(run, run)) };
  return await putItemIf(runsTable, item, mustNotExist);
}

export async function readRun(id: string): Promise<StoredRun | undefined> {
  const item = await getItem(runsTable, runKey(id));
  return item && storedRun.parse(item);
}

/**
 * Takes the lease of a run that is not over, that nobody holds any more and that does not count as failed.
 * False otherwise.
 */
export async function claimRun(
  run: StoredRun,
  lease: string,
  now: number,
  leaseUntil: number,
): Promise<boolean> {
  return await updateHead(run.run_id, {
    change: 'SET lease = :lease, lease_until = :until, claims = :claims, deadline = :deadline',
    condition: `generation = :seen AND lease_until < :now AND (deadline >= :overdue OR #status = :asking) AND ${isOpen}`,
    values: {
      ':lease': lease,
      ':until': leaseUntil,
      ':claims': (run.claims ?? 0) + 1,
      ':deadline': run.deadline,
      ':seen': run.generation,
      ':now': now,
      ':overdue': now - graceMs,
      ':asking': 'input_required',
    },
  });
}

/** A runner that has nothing to write says that it lives. False when the run is no longer its own. */
export async function renewLease(id: string, lease: string, until: number): Promise<boolean> {
  return await updateHead(id, {
    change: 'SET lease_until = :until',
    condition: `lease = :lease AND ${isOpen}`,
    values: { ':until': until, ':lease': lease },
  });
}

/**
 * Lets the next runner in at once; a runner that does so in order is not counted. Nothing happens when the
 * lease is no longer ours.
 */
export async function releaseRun({ run_id, claims }: Claimed, lease: string): Promise<void> {
  await updateHead(run_id, {
    change: 'SET lease_until = :never, claims = :claims',
    condition: `lease = :lease AND ${isOpen}`,
    values: { ':never': 0, ':lease': lease, ':claims': claims ?? 0 },
  });
}

type Claimed = Pick<StoredRun, 'run_id' | 'claims'>;

const isOpen = 'NOT #status IN (:completed, :failed, :canceled)';
const finalValues = { ':completed': 'completed', ':failed': 'failed', ':canceled': 'canceled' };

interface HeadUpdate {
  readonly change: string;
  /** Refers to `isOpen`. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

async function updateHead(id: string, { change, condition, values }: HeadUpdate): Promise<boolean> {
  return await updateItemIf(runsTable, runKey(id), {
    UpdateExpression: change,
    ConditionExpression: condition,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ...values, ...finalValues },
  });
}

export interface Append {
  /** As the header is now. */
  readonly run: StoredRun;
  /** Its generation becomes that of the header, which must be one lower now. */
  readonly event: StoredEvent;
  /** Absent for what is done from outside, such as a cancel, which needs no lease. */
  readonly lease?: { readonly holder: string; readonly until: number };
  /** What the header must say, for a change that is right in one state alone. */
  readonly onlyWhen?: RunStatus;
  /** What else changes in the header. */
  readonly header?: HeaderChange;
  /** The item of the snapshot. */
  readonly snapshot?: object | undefined;
  /** The item by which a run that waits is found. */
  readonly waiting?: object | undefined;
}

export type HeaderChange = Partial<
  Pick<StoredRun, 'mode' | 'deadline' | 'wake_at' | 'lease' | 'lease_until' | 'input' | 'claims' | 'ttl'>
>;

/** False when the run was canceled, taken over or changed in between. */
export async function appendEvent(given: Append): Promise<boolean> {
  const { run, header } = given;
  const append = {
    ...given,
    event: await encryptEvent(run, await storeLargeResponse(given)),
    ...(header && { header: await encryptHeader(run, header) }),
  };
  const outcome = await retry(() => tryAppend(append), { triesMax: 6, pauseMs: 40 });
  if (!outcome)
    throw new ServiceError('dependency_unavailable', { cause: 'The header of the run is contended.' });
  if (typeof outcome === 'object') return await appendEvent({ ...given, run: { ...run, ...outcome } });
  if (outcome === 'stored') await wakePush(run, append.event);
  return outcome === 'stored';
}

interface EncryptedAppend extends Omit<Append, 'event'> {
  readonly event: EventItem;
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
  const { run, event, snapshot, waiting } = append;
  const ttl = expiryAfter(append);
  const puts = [
    { ...runKey(run.run_id, event.generation), ...event, ttl },
    ...[snapshot, waiting].flatMap((item) => (item === undefined ? [] : [{ ...item, ttl }])),
  ];
  const reasons = await transactWrite(runsTable, [
    { Update: headerUpdate(append) },
    ...puts.map((Item) => ({ Put: { Item } })),
  ]);
  if (!reasons) return 'stored';
  if (!reasons.some(isFailedConditionReason)) return undefined;
  const push_configs = readNumber(reasons[0]?.item, 'push_configs');
  return run.push_configs === undefined && push_configs !== undefined ? { push_configs } : 'refused';
}

/** The end of a run that has rested for long brings its expiry nearer. */
function expiryAfter({ run, event, header }: EncryptedAppend): number {
  return isFinal(event.status) ? Math.min(run.ttl, keepUntil(Date.now())) : (header?.ttl ?? run.ttl);
}

function headerUpdate(append: EncryptedAppend) {
  const { run, event, lease, onlyWhen, header } = append;
  const knowsPushConfigs = run.push_configs !== undefined;
  const changes: Record<string, unknown> = {
    generation: event.generation,
    status: event.status,
    updated_at: event.at,
    ...(event.status !== run.status && {
      status_timestamp: event.at,
      ...taskKeys({ ...run, status_timestamp: event.at }),
    }),
    ...(event.as && { as: event.as }),
    ...(isFinal(event.status) && { ended_at: event.at, ttl: expiryAfter(append) }),
    ...(lease && { lease_until: lease.until }),
    ...header,
  };
  const names = Object.keys(changes);
  return {
    Key: runKey(run.run_id),
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ConditionExpression: [
      `#generation = :seen AND ${isOpen}`,
      ...(lease ? ['lease = :holder'] : []),
      ...(onlyWhen ? ['#status = :expected'] : []),
      ...(knowsPushConfigs ? [] : ['attribute_not_exists(push_configs)']),
    ].join(' AND '),
    // Names the push notification configurations to a writer that does not know of them.
    ...(!knowsPushConfigs && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
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

/** For who asks only whether there are any. */
export async function readEventItems(id: string, after: number): Promise<EventItem[]> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': runKey(id).pk,
      ':first': runKey(id, after + 1).sk,
      ':last': runKey(id, 9_999_999_999).sk,
    },
    ConsistentRead: true,
  });
  return items.map((item) => eventItem.parse(item));
}

/** Leaves room in the event for the log and the replies of the last moment. */
const responseBytesMax = 250_000;

const isLarge = (response: string) => Buffer.byteLength(response) > responseBytesMax;

/** What the item of an event holds: all but a large response. */
export function withoutLargeResponse<E extends Pick<StoredEvent, 'response'>>(
  event: E,
): E | Omit<E, 'response'> {
  if (event.response === undefined || !isLarge(event.response)) return event;
  const { response: _large, ...rest } = event;
  return rest;
}

const responseSeries = (id: string, writer: string): ChunkSeries => ({
  table: runsTable,
  pk: runKey(id).pk,
  prefix: `RESPONSE#${writer}#`,
});

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The chunks are stored before the event that names them. */
async function storeLargeResponse({ run, event, lease }: Append): Promise<EventItem> {
  const { response, ...rest } = event;
  if (response === undefined || !isLarge(response)) return event;
  const writer = `${event.generation}.${lease?.holder}`;
  const bytes = await compress(response);
  const count = await writeChunks(responseSeries(run.run_id, writer), bytes, { ttl: run.ttl });
  return { ...rest, response_chunks: { place: writer, count } };
}

/** While a run expires, chunks may be gone before the event that names them. */
export async function withResponse(
  id: string,
  { response_chunks, ...event }: EventItem,
): Promise<StoredEvent> {
  if (!response_chunks) return event;
  const { place, count } = response_chunks;
  const bytes = await readChunks(responseSeries(id, place), count);
  if (!bytes) throw new ServiceError('run_not_found', { detail: 'The run has expired.' });
  return { ...event, response: (await decompress(bytes)).toString('utf8') };
}

type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;
type HeaderData = Pick<StoredRun, 'input' | 'callback_url'>;

/** Encrypts what a header, or a change of one, holds of the caller. */
async function encryptHeader<H extends Partial<HeaderData>>(run: RunScope, header: H): Promise<H> {
  const { input, callback_url } = header;
  if (typeof input !== 'string' && typeof callback_url !== 'string') return header;
  return {
    ...header,
    ...(input !== undefined && { input: await encrypt(headerKey(run, 'input'), input) }),
    ...(callback_url !== undefined && {
      callback_url: await encrypt(headerKey(run, 'callback_url'), callback_url),
    }),
  };
}

export async function encryptEvent(run: RunScope, event: EventItem): Promise<EventItem> {
  const { generation, answer, message } = event;
  if (typeof answer !== 'string' && typeof message !== 'string') return event;
  return {
    ...event,
    ...(answer !== undefined && { answer: await encrypt(eventKey(run, generation, 'answer'), answer) }),
    ...(message !== undefined && { message: await encrypt(eventKey(run, generation, 'message'), message) }),
  };
}

/** The input of the flow, as JSON. */
export async function decryptInput(run: StoredRun): Promise<string | undefined> {
  return run.input === undefined ? undefined : await decryptCallerData(headerKey(run, 'input'), run.input);
}

/** The same run, with its input decrypted. */
export async function withInput(run: StoredRun): Promise<StoredRun> {
  const input = await decryptInput(run);
  return input === undefined ? run : { ...run, input };
}

export async function decryptCallbackUrl(run: StoredRun): Promise<string | undefined> {
  if (run.callback_url === undefined) return undefined;
  return await decryptCallerData(headerKey(run, 'callback_url'), run.callback_url);
}

/** The same events, with their answers and messages decrypted. */
export async function withAnswers<E extends StoredEvent>(run: RunScope, events: readonly E[]): Promise<E[]> {
  return await Promise.all(events.map(async (event) => await decryptEvent(run, event)));
}

async function decryptEvent<E extends StoredEvent>(run: RunScope, event: E): Promise<E> {
  const { generation, answer, message } = event;
  if (answer === undefined && message === undefined) return event;
  const decryptText = async (attribute: EventData, data: CallerData | undefined) =>
    data && (await decryptCallerData(eventKey(run, generation, attribute), data));
  return {
    ...event,
    answer: await decryptText('answer', answer),
    message: await decryptText('message', message),
  };
}

const encrypt = async (key: AttributeKey, data: CallerData): Promise<Uint8Array> =>
  typeof data === 'string' ? await encryptCallerData(key, data) : data;

const headerKey = ({ run_id, orgid, workspaceid }: RunScope, attribute: keyof HeaderData): AttributeKey => ({
  orgid,
  workspaceid,
  ...runKey(run_id),
  attribute,
});
type EventData = 'answer' | 'message';
const eventKey = (
  { run_id, orgid, workspaceid }: RunScope,
  generation: number,
  attribute: EventData,
): AttributeKey => ({ orgid, workspaceid, ...runKey(run_id, generation), attribute });
