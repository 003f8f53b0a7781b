// Compares two builds of an agent; both are in the address.
import { Link, useParams } from 'wouter';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import styles from './build-page.module.css';
import { ComparedFlows } from './compared-flows.tsx';
import { DiffView } from './diff-view.tsx';
import { agentPath, type Build, buildPath, useBuilds, useDiff } from './queries.ts';
import { words } from './words.ts';

const names = ['from', 'to'] as const;

export function ComparePage() {
  const { flowid = '' } = useParams();
  const { filters, setFilter } = useFilters(names);
  const { builds, query } = useBuilds({ flowid: [flowid] });
  const from = filters.from ?? builds.find(({ status }) => status === 'live')?.a2aregistryid ?? '';
  const to = filters.to ?? builds.find(({ a2aregistryid }) => a2aregistryid !== from)?.a2aregistryid ?? '';
  const diff = useDiff(to, from);
  const back = { href: `${agentPath(flowid)}?view=builds`, label: words.allBuilds };
  const choice = (name: (typeof names)[number], value: string) => (
    <label className={styles.choice}>
      <span>{words[name]}</span>
      <select
        className={fields.input}
        value={value}
        onChange={(event) => setFilter(name, event.target.value)}
      >
        {withChosen(builds, value).map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Page
      title={words.compareTitle}
      lead={<Link href={`${agentPath(flowid)}?view=builds`}>{flowid}</Link>}
      aside={
        to !== '' && (
          <Link href={buildPath(flowid, to)} className={buttons.button}>
            {words.showBuild}
          </Link>
        )
      }
    >
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} back={back} />}
      <div className={fields.row}>
        {choice('from', from)}
        {choice('to', to)}
      </div>
      {(query.isPending || diff.isFetching) && <Loading />}
      {diff.error && <Failure error={diff.error} onRetry={() => void diff.refetch()} back={back} />}
      {query.isSuccess && (from === '' || to === '') && <p>{words.chooseTwo}</p>}
      {diff.data && (
        <Panel title={words.differences}>
          <DiffView diff={diff.data} />
        </Panel>
      )}
      {from !== '' && to !== '' && !diff.error && <ComparedFlows from={from} to={to} />}
    </Page>
  );
}

/** An address may name a build that is not among those that were read. */
function withChosen(builds: readonly Build[], chosen: string) {
  const options = builds.map(({ a2aregistryid: id, build_no, status }) => ({
    id,
    label: status === 'live' ? words.liveNo(build_no) : words.buildNo(build_no),
  }));
  return options.some(({ id }) => id === chosen) ? options : [{ id: chosen, label: chosen }, ...options];
}
