// The API keys that a caller may see and revoke: those of its organisation that are for no other workspaces
// than its own.
import * as z from 'zod';
import { forgetApiKey } from '#lib/access/api-key.ts';
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ApiKey } from './api-key.ts';
import { markRevoked, queryKeys, readKey } from './key-items.ts';

interface KeyQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;

export async function listKeys(
  caller: Caller,
  query: KeyQuery,
): Promise<{ items: ApiKey[]; nextCursor: string | undefined }> {
  const limit = query.limit ?? limitDefault;
  const scope = { list: 'keys', caller, query: {} };
  const found = await readOwnKeys(caller, limit + 1, await readStart(query.cursor, scope));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    items,
    nextCursor: hasMore ? await writeCursor(scope, [last.created_at, last.keyid]) : undefined,
  };
}

const position = z.tuple([z.string(), z.string()]);

async function readStart(cursor: string | undefined, scope: CursorBinding) {
  if (cursor === undefined) return undefined;
  const [created_at, keyid] = await readCursor(cursor, scope, position);
  return { created_at, keyid };
}

/** Reads pages until there are enough keys that the caller may see. */
async function readOwnKeys(caller: Caller, wanted: number, start: Parameters<typeof queryKeys>[2]) {
  const own: ApiKey[] = [];
  for (let after = start, isDone = false; !isDone && own.length < wanted; ) {
    const page = await queryKeys(caller.orgid, wanted, after);
    own.push(...page.filter((key) => isOwnKey(caller, key)));
    after = page.at(-1);
    isDone = page.length < wanted;
  }
  return own.slice(0, wanted);
}

/**
 * Takes effect at once in this process, and in all others when the verifier checks the key again (45 s).
 * Revoking a revoked key succeeds. A key of another owner gives the same error as a missing one.
 */
export async function revokeKey(caller: Caller, id: string, at: string): Promise<void> {
  const key = await readKey(id);
  if (!key || !isOwnKey(caller, key)) {
    throw new ServiceError('api_key_not_found', { detail: `There is no API key ${id}.` });
  }
  if (key.revoked_at === undefined) await markRevoked(id, at);
  forgetApiKey(id);
}

function isOwnKey(caller: Caller, key: Pick<ApiKey, 'orgid' | 'workspaces'>): boolean {
  if (key.orgid !== caller.orgid) return false;
  if (key.workspaces === '*') return caller.workspaces === '*';
  return key.workspaces.every((workspace) => mayUseWorkspace(caller, workspace));
}
