// What a build may do, as its manifest says, and where it comes from.

import type { BuildWithFlow } from '../api/use-build.ts';
import { formatCount } from '../parts/format.ts';
import { Ago } from '../parts/time.tsx';
import styles from './agent-page.module.css';
import { Facts } from './facts.tsx';
import { words } from './words.ts';

export function BuildFacts({ row }: { row: BuildWithFlow }) {
  const { manifest, env_variable = {} } = row;
  return (
    <div className={styles.body}>
      {manifest && (
        <Facts
          facts={[
            [words.hosts, list(manifest.hosts)],
            [words.models, list(manifest.models)],
            [words.connections, list(manifest.connections)],
            [words.servers, list(manifest.mcp_servers)],
            [words.calledAgents, list(manifest.agents)],
            [words.calledFlows, list(manifest.flows)],
            [words.discovers, manifest.discovers.length > 0 ? words.yes : words.no],
            [words.pauses, manifest.pauses ? words.yes : words.no],
            [words.worstSteps, formatCount(manifest.worst_case.steps)],
            [words.worstCalls, formatCount(manifest.worst_case.model_calls)],
          ]}
        />
      )}
      <Facts
        facts={[
          [words.label, row.label],
          [words.note, row.note],
          [words.egress, list(row.egress)],
          [words.variables, list(Object.keys(env_variable))],
          [words.visibility, words.visibilities[row.visibility]],
          [words.flowVersion, row.flow_version],
          [words.created, <Ago key="created" time={row.created_at} />],
          [words.createdBy, row.created_by],
          [words.buildId, <code key="id">{row.a2aregistryid}</code>],
        ]}
      />
    </div>
  );
}

const list = (values: readonly string[]): string => (values.length > 0 ? values.join(', ') : words.none);
