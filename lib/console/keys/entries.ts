// What the command palette offers to a person, in groups.
import { useQuery } from '@tanstack/react-query';
import { pages } from '../pages.ts';
import type { IconName } from '../parts/icon.tsx';
import { statusLabel } from '../parts/status.tsx';
import { listFlows } from '../playground/flows.ts';
import { useLatestRuns } from '../runs/queries.ts';
import { useSession } from '../shell/session.tsx';
import { applyTheme, themes } from '../shell/theme.ts';
import { goKeys } from './key-actions.ts';
import { useSingleKeys } from './single-keys.ts';
import { words } from './words.ts';

export interface Entry {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly note?: string | undefined;
  /** Where it leads, or what it does. */
  readonly path?: string;
  readonly act?: () => void;
}

interface Group {
  readonly value: string;
  readonly items: readonly Entry[];
}

const runsMax = 8;
const runIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function useEntries(text: string, showKeys: () => void): readonly Group[] {
  const { workspaceid, may } = useSession();
  const [hasSingleKeys, setSingleKeys] = useSingleKeys();
  const flows = useQuery({
    queryKey: ['flows', workspaceid],
    queryFn: ({ signal }) => listFlows(workspaceid, signal),
    enabled: may('assistants.flows:read'),
  });
  const runs = useLatestRuns({}, runsMax);
  const agents = (flows.data ?? []).flatMap(({ flowid, name }): Entry[] => [
    {
      key: `agent ${flowid}`,
      label: name,
      icon: 'agents',
      note: flowid,
      path: `/agents/${encodeURIComponent(flowid)}`,
    },
    {
      key: `talk ${flowid}`,
      label: words.talk(name),
      icon: 'agents',
      note: flowid,
      path: `/playground?flowid=${encodeURIComponent(flowid)}`,
    },
    {
      key: `runs ${flowid}`,
      label: words.runsOf(name),
      icon: 'runs',
      note: flowid,
      path: `/runs?flowid=${encodeURIComponent(flowid)}`,
    },
  ]);
  const lastRuns = (runs.data?.items ?? []).map(
    ({ workflow_id, flowid, status }): Entry => ({
      key: workflow_id,
      label: `${flowid} ${workflow_id.slice(-6)}`,
      icon: 'runs',
      note: statusLabel(status),
      path: `/runs/${workflow_id}`,
    }),
  );
  const id = text.trim().toLowerCase();
  const typedRun: Entry[] = runIdPattern.test(id)
    ? [{ key: 'typed run', label: words.run(id), icon: 'runs', path: `/runs/${id}` }]
    : [];
  const shown = pages.filter(({ permission }) => !permission || may(permission));
  return [
    { value: words.pages, items: shown.flatMap(toPageEntry) },
    { value: words.agents, items: agents },
    { value: words.runs, items: [...typedRun, ...lastRuns] },
    { value: words.actions, items: listActions(hasSingleKeys, setSingleKeys, showKeys) },
  ].filter(({ items }) => items.length > 0);
}

function toPageEntry({ path, rail, palette }: (typeof pages)[number]): Entry[] {
  const name = rail ?? palette;
  if (!name) return [];
  const letter = goKeys[path];
  return [
    {
      key: path,
      label: name.label,
      icon: name.icon,
      path,
      note: letter === undefined ? undefined : `g ${letter}`,
    },
  ];
}

const listActions = (
  hasSingleKeys: boolean,
  setSingleKeys: (isOn: boolean) => void,
  showKeys: () => void,
): Entry[] => [
  ...themes.map(
    (theme): Entry => ({
      key: `theme ${theme}`,
      label: words.theme[theme],
      icon: 'settings',
      act: () => applyTheme(theme),
    }),
  ),
  { key: 'keys', label: words.showKeys, icon: 'question', note: '?', act: showKeys },
  {
    key: 'single keys',
    label: hasSingleKeys ? words.keysOff : words.keysOn,
    icon: 'settings',
    act: () => setSingleKeys(!hasSingleKeys),
  },
];
