// What the rows of usage are grouped by, in words.
import { useMemo } from 'react';
import { useApiKeys } from '../api-keys/queries.ts';
import { useSession } from '../shell/session.tsx';
import type { Group, UsageRow } from './queries.ts';
import { words } from './words.ts';

type LabelOf = (row: UsageRow) => string;

/** Undefined without a group. Keys have their labels where the person may read them. */
export function useLabels(group: Group | undefined): LabelOf | undefined {
  const { me, may, workspaces } = useSession();
  const { keys } = useApiKeys(group === 'key' && may('apikeys:read'));
  return useMemo(() => {
    if (group === undefined) return undefined;
    const names = me.workspace_names;
    const nameOf = (id = '') => names[id] ?? id;
    const labels = new Map(keys.map(({ keyid, label }) => [keyid, label]));
    const byGroup: Record<Group, LabelOf> = {
      workspace: ({ workspaceid }) => nameOf(workspaceid),
      flow: ({ flowid = '', workspaceid }) =>
        workspaces.length > 1 ? `${flowid} (${nameOf(workspaceid)})` : flowid,
      key: ({ key }) => (key === undefined ? words.otherOrganisations : nameKey(key, labels.get(key))),
      model: ({ model = '' }) => model,
    };
    return byGroup[group];
  }, [group, me, workspaces, keys]);
}

/** Several keys may have one label. */
const nameKey = (id: string, label: string | undefined): string => (label ? `${label} (${id})` : id);
