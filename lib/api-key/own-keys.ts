// The API keys that a caller may see and revoke: those of its organisation that are for no other workspaces
// than its own.
import * as z from 'zod';
import { forgetApiKey } from '#lib/access/api-key.ts';
import { type Caller, mayUseWorkspaces } from '#lib/access/caller.ts';
import { type FilteredPage, type PageQuery, readFilteredPage } from '#lib/dynamo/filtered-page.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ApiKey } from './api-key.ts';
import { markRevoked, queryKeys, readKey } from './key-items.ts';

const position = z.tuple([z.string(), z.string()]);

export const listKeys = async (caller: Caller, query: PageQuery): Promise<FilteredPage<ApiKey>> =>
  await readFilteredPage(query, {
    list: 'keys',
    caller,
    position,
    getPosition: ({ created_at, keyid }): z.infer<typeof position> => [created_at, keyid],
    read: async (limit, after) =>
      await queryKeys(caller.orgid, limit, after && { created_at: after[0], keyid: after[1] }),
    isShown: (key) => isOwnKey(caller, key),
  });

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

const isOwnKey = (caller: Caller, { orgid, workspaces }: Pick<ApiKey, 'orgid' | 'workspaces'>): boolean =>
  orgid === caller.orgid && mayUseWorkspaces(caller, workspaces);
