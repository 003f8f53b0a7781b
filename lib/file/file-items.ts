// The items of files in the runs table. Name, type and digest are encrypted as what callers send, the size is counted (file-usage.ts); the content is
// in the bucket (object-store.ts). An id names a file only together with the organisation and the workspace.
import * as z from 'zod';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem, type Key } from '#lib/dynamo/items.ts';
import { requireEnv } from '#lib/env.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { deleteCounted, putCounted } from './file-usage.ts';

export interface FileItem extends WorkspaceScope {
  readonly fileid: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** The organisation that brought the file: only runs that it has started may use it. */
  readonly caller_orgid: string;
  readonly created_at: string;
  /** Seconds since 1970. DynamoDB removes the item some time later, so readers compare it too. */
  readonly ttl: number;
}

export type FileScope = Pick<FileItem, 'orgid' | 'workspaceid' | 'fileid'>;

const about = z.object({
  name: z.string(),
  media_type: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});

const stored = z.object({
  fileid: z.string(),
  orgid: z.string(),
  workspaceid: z.string(),
  caller_orgid: z.string(),
  /** As it is counted. Files from before it was have none. */
  bytes: z.number().default(0),
  about: z.instanceof(Uint8Array),
  created_at: z.string(),
  ttl: z.number(),
});

const daySeconds = 86_400;

/** Files are kept as long as runs are kept after their end. */
export const fileExpiry = (now: number): number =>
  Math.floor(now / 1000) + Number(requireEnv('RUN_RETENTION_DAYS')) * daySeconds;

/** Does nothing if the file is there already. Throws `file_quota_exceeded`. */
export async function putFile({ name, media_type, sha256, ...item }: FileItem, now: number): Promise<void> {
  const key = itemKey(item);
  const { caller_orgid: orgid, bytes, ttl } = item;
  const text = JSON.stringify({ name, media_type, bytes, sha256 });
  const sealed = await encryptCallerData(attributeKey(item, key), text);
  await putCounted({ ...key, ...item, about: sealed }, { orgid, bytes, ttl }, now);
}

/** Undefined for the file of another workspace, as for a missing or an expired one. */
export async function readFile(scope: FileScope, now: number): Promise<FileItem | undefined> {
  const found = await findFile(scope, now);
  if (!found) return undefined;
  const { about: sealed, ...item } = found;
  const plain = await decryptCallerData(attributeKey(scope, itemKey(scope)), sealed);
  return { ...item, ...about.parse(JSON.parse(plain)) };
}

/** Takes what `findFile` has found. False if the file is not there any more. */
export const deleteFileItem = async (file: FileScope & FileCount): Promise<boolean> =>
  await deleteCounted(itemKey(file), { orgid: file.caller_orgid, bytes: file.bytes, ttl: file.ttl });

type FileCount = Pick<FileItem, 'caller_orgid' | 'bytes' | 'ttl'>;

/** The file without decrypting what it is. Undefined as for `readFile`. */
export async function findFile(scope: FileScope, now: number) {
  const found = await getItem(runsTable, itemKey(scope));
  const item = found && stored.parse(found);
  return item && item.ttl * 1000 > now ? item : undefined;
}

const itemKey = ({ orgid, workspaceid, fileid }: FileScope): Key => ({
  pk: `FILE#${orgid}#${workspaceid}#${fileid}`,
  sk: 'META',
});

const attributeKey = ({ orgid, workspaceid }: WorkspaceScope, key: Key): AttributeKey => ({
  orgid,
  workspaceid,
  ...key,
  attribute: 'about',
});
