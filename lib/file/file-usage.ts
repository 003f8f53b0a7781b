// How many files an organisation has, and their bytes: one item in the runs table, which is written in the transaction
// of each file. Beside its sums it has those of each day on which files expire, so that they are subtracted after that
// day. The limits are `org_files` and `org_file_bytes`.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason } from '#lib/dynamo/conditions.ts';
import { getItem, type Item, type Key, updateItemIf } from '#lib/dynamo/items.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';

export interface CountedFile {
  /** The organisation that brought the file. */
  readonly orgid: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly ttl: number;
}

/** Does nothing if the file is there already. Throws `file_quota_exceeded`. */
export async function putCounted(Item: Item & Key, file: CountedFile, now: number): Promise<void> {
  const { org_files, org_file_bytes } = tenantLimits();
  const put: TransactionAction = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  const count: TransactionAction = {
    Update: {
      Key: usageKey(file.orgid),
      UpdateExpression: `SET swept_to = if_not_exists(swept_to, :today) ${adding}`,
      ConditionExpression:
        'attribute_not_exists(pk) OR (swept_to >= :today AND files <= :filesLeft AND bytes <= :bytesLeft)',
      ExpressionAttributeNames: dayNames(file),
      ExpressionAttributeValues: {
        ':today': toDay(now),
        ':files': 1,
        ':bytes': file.bytes,
        ':filesLeft': org_files - 1,
        ':bytesLeft': org_file_bytes - file.bytes,
      },
    },
  };
  await untilWritten(async () => {
    const reasons = await transactWrite(runsTable, [put, count]);
    if (!reasons || isFailedConditionReason(reasons[0])) return true;
    if (isFailedConditionReason(reasons[1])) await requireRoom(file, now);
    return undefined;
  });
}

/** False if the file is not there. */
export async function deleteCounted(key: Key, file: CountedFile): Promise<boolean> {
  const remove: TransactionAction = {
    Delete: { Key: { ...key }, ConditionExpression: 'attribute_exists(pk)' },
  };
  const discount: TransactionAction = {
    Update: {
      Key: usageKey(file.orgid),
      UpdateExpression: adding,
      // A day that was subtracted is over, and so are its files.
      ConditionExpression: 'attribute_exists(#files)',
      ExpressionAttributeNames: dayNames(file),
      ExpressionAttributeValues: { ':files': -1, ':bytes': -file.bytes },
    },
  };
  return await untilWritten(async () => {
    const reasons = await transactWrite(runsTable, [remove, discount]);
    if (!reasons) return true;
    return reasons.some(isFailedConditionReason) ? false : undefined;
  });
}

/** Throws `file_quota_exceeded` if the file would pass a limit. Subtracts before what has expired. */
export async function requireRoom({ orgid, bytes }: Omit<CountedFile, 'ttl'>, now: number): Promise<void> {
  const used = await readUsage(orgid);
  if (!used) return;
  const today = toDay(now);
  const days = used.days.filter(({ day }) => day >= today);
  if (used.swept_to < today) await subtractExpired(orgid, used, today);
  const { org_files, org_file_bytes } = tenantLimits();
  const fits = (rest: Sums) => rest.files < org_files && rest.bytes + bytes <= org_file_bytes;
  const current = addUp(days);
  if (fits(current)) return;
  const enough = days.find(({ day }) => fits(addUp(days.filter((other) => other.day > day))));
  throw new ServiceError('file_quota_exceeded', {
    detail:
      `The organisation has ${current.files} files of ${current.bytes} bytes, and this one has ${bytes} bytes; ` +
      `at most ${org_files} files (org_files) of ${org_file_bytes} bytes (org_file_bytes) are allowed. ` +
      `There is room once files are deleted, or have expired by the end of ${enough?.day ?? today} (UTC).`,
  });
}

interface Sums {
  readonly files: number;
  readonly bytes: number;
}
interface DayUsage extends Sums {
  readonly day: string;
}
interface Usage {
  readonly swept_to: string;
  /** In order. */
  readonly days: readonly DayUsage[];
}

const addUp = (days: readonly Sums[]): Sums => ({
  files: days.reduce((sum, { files }) => sum + files, 0),
  bytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
});

const usageKey = (orgid: string): Key => ({ pk: `FILES#${orgid}`, sk: 'USED' });

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const adding = 'ADD files :files, bytes :bytes, #files :files, #bytes :bytes';
const namesOf = (day: string) => ({ '#files': `files_${day}`, '#bytes': `bytes_${day}` });
const dayNames = ({ ttl }: CountedFile) => namesOf(toDay(ttl * 1000));

const stored = z.looseObject({ swept_to: z.string() });

async function readUsage(orgid: string): Promise<Usage | undefined> {
  const item = await getItem(runsTable, usageKey(orgid));
  if (!item) return undefined;
  const days = Object.keys(item).flatMap((name) => {
    const [, day] = /^files_(.+)$/.exec(name) ?? [];
    return day === undefined ? [] : { day, files: Number(item[name]), bytes: Number(item[`bytes_${day}`]) };
  });
  return { swept_to: stored.parse(item).swept_to, days: days.sort((a, b) => (a.day < b.day ? -1 : 1)) };
}

/** If another process has done it, nothing happens. */
async function subtractExpired(orgid: string, { swept_to, days }: Usage, today: string): Promise<void> {
  const expired = days.filter(({ day }) => day < today);
  const { files, bytes } = addUp(expired);
  const names = expired.flatMap(({ day }, n) => [
    [`#f${n}`, `files_${day}`] as const,
    [`#b${n}`, `bytes_${day}`] as const,
  ]);
  const removing = names.length > 0 ? ` REMOVE ${names.map(([name]) => name).join(', ')}` : '';
  await updateItemIf(runsTable, usageKey(orgid), {
    UpdateExpression: `SET swept_to = :today ADD files :files, bytes :bytes${removing}`,
    ConditionExpression: 'swept_to = :swept',
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
    ExpressionAttributeValues: { ':today': today, ':swept': swept_to, ':files': -files, ':bytes': -bytes },
  });
}

async function untilWritten<T>(write: () => Promise<T | undefined>): Promise<T> {
  const written = await retryOnConflict(write);
  if (written !== undefined) return written;
  throw new ServiceError('dependency_unavailable', {
    cause: 'Other requests write files of the organisation.',
  });
}
