// The names of those who started runs, as far as the reader may list members and API keys: otherwise their ids.
import { useApiKeys } from '../api-keys/queries.ts';
import { useMembers } from '../settings/queries.ts';
import { useSession } from '../shell/session.tsx';
import type { RunSummary } from './queries.ts';
import { words } from './words.ts';

type Caller = Pick<RunSummary, 'created_by' | 'caller_organization'>;

/** Two requests for the whole page, however many runs it has. Of the keys, it is the newest that have their labels. */
export function useCallerName(): (caller: Caller) => string {
  const { me, may } = useSession();
  const members = useMembers(may('members:read'));
  const { keys } = useApiKeys(may('apikeys:read'));
  return ({ created_by: id, caller_organization }) => {
    if (id === undefined) return caller_organization === 'other' ? words.otherOrganization : words.unknown;
    if (id === me.id) return words.you;
    const member = members.data?.find(({ userid }) => userid === id);
    return member?.name ?? member?.email ?? keys.find(({ keyid }) => keyid === id)?.label ?? id;
  };
}
