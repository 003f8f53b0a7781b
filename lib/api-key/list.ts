// One page of the API keys that a caller may see, and the cursor to the next.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import type { ApiKey } from './api-key.ts';
import { queryKeys } from './key-items.ts';
import { isOwnKey } from './own-key.ts';

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
  const found = await ownKeys(caller, limit + 1, await readStart(query.cursor, scope));
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

/** Reads on until there are enough that the caller may see. */
async function ownKeys(caller: Caller, wanted: number, start: Parameters<typeof queryKeys>[2]) {
  const own: ApiKey[] = [];
  for (let after = start, isDone = false; !isDone && own.length < wanted; ) {
    const page = await queryKeys(caller.orgid, wanted, after);
    own.push(...page.filter((key) => isOwnKey(caller, key)));
    after = page.at(-1);
    isDone = page.length < wanted;
  }
  return own.slice(0, wanted);
}
