// The flow of a build as a list: its nodes in reading order, what each consists of, and where it leads.
import { useMemo } from 'react';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { listSteps, type Step } from './flow-steps.ts';
import styles from './flow-view.module.css';
import { useBuild } from './queries.ts';
import { words } from './words.ts';

export function FlowView({ id }: { id: string }) {
  const build = useBuild(id);
  const flow = build.data?.row.flow;
  const steps = useMemo(() => flow && listSteps(flow), [flow]);
  return (
    <Panel title={words.nodes}>
      {build.error && <Failure error={build.error} onRetry={() => void build.refetch()} />}
      {build.isPending && <Loading />}
      {steps && <Steps steps={steps} label={words.nodes} />}
    </Panel>
  );
}

const Steps = ({ steps, label }: { steps: readonly Step[]; label: string }) => (
  <ol className={styles.steps} aria-label={label}>
    {steps.map(({ id, type, title, parts, edges, inside }) => (
      <li key={id} className={styles.step}>
        <p>
          <strong>{title}</strong>{' '}
          <span className={styles.soft}>
            {type} · <code>{id}</code>
          </span>
        </p>
        {parts.length > 0 && (
          <ul className={styles.parts} aria-label={words.parts}>
            {parts.map((part) => (
              <li key={part}>{part}</li>
            ))}
          </ul>
        )}
        {edges.length > 0 && (
          <ul className={styles.edges} aria-label={words.leadsTo}>
            {edges.map(({ to, member, when }) => (
              <li key={`${member} ${to} ${when}`}>
                → <code>{to}</code>
                {member !== 'next' && <span className={styles.soft}> {words.edge(member, when)}</span>}
              </li>
            ))}
          </ul>
        )}
        {inside.map((block) => (
          <div key={block.name} className={styles.block}>
            <p className={styles.soft}>{block.name}</p>
            <Steps steps={block.steps} label={block.name} />
          </div>
        ))}
      </li>
    ))}
  </ol>
);
