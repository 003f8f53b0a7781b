// Reads members and invitations.
import { useQuery } from '@tanstack/react-query';
import type { MemberRoles } from '#lib/access/role.ts';
import { type CallOutput, call } from '../api/client.ts';

export type Member = CallOutput<'listMembers'>['items'][number];
export type Invitation = CallOutput<'listInvitations'>['items'][number];
export type Roles = MemberRoles;

const pageSize = '200';

/** By e-mail address. */
export const useMembers = (isEnabled = true) =>
  useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => readAll((cursor) => call('listMembers', { query: toPage(cursor) }, { signal })),
    enabled: isEnabled,
  });

export const useInvitations = () =>
  useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) =>
      readAll((cursor) => call('listInvitations', { query: toPage(cursor) }, { signal })),
  });

const toPage = (cursor: string | undefined) => ({ limit: pageSize, ...(cursor !== undefined && { cursor }) });

interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

async function readAll<T>(read: (cursor: string | undefined) => Promise<ListPage<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await read(cursor);
    all.push(...items);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}
