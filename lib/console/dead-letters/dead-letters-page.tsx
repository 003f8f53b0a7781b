// What could not be run, by reason, and running it again.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Chosen, type Column, DataTable } from '../parts/data-table.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import { useSortOrder } from '../parts/sort-order.ts';
import tables from '../parts/table.module.css';
import { TextFilter } from '../parts/text-filter.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { AllOfReason } from './all-of-reason.tsx';
import styles from './dead-letters-page.module.css';
import { type DeadLetter, useDeadLetters, useDismiss, useRedrive } from './queries.ts';
import { words } from './words.ts';

const filterNames = ['flowid'] as const;

export function DeadLettersPage() {
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { letters, query } = useDeadLetters();
  const { order } = useSortOrder();
  const groups = useMemo(() => groupByReason(letters, filters.flowid), [letters, filters]);
  const isNoneShown = groups.length === 0;
  useLoadOn(query, isNoneShown);
  return (
    <Page title={words.deadLetters} lead={words.lead}>
      <search className={fields.row}>
        <TextFilter
          label={words.flowFilter}
          value={filters.flowid}
          onChange={(value) => setFilter('flowid', value)}
        />
      </search>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {groups.map(([reason, group = []]) => (
        <ReasonGroup
          key={reason}
          reason={reason}
          letters={group}
          flowid={filters.flowid}
          hasMore={query.hasNextPage}
        />
      ))}
      {query.isSuccess && letters.length === 0 && (
        <Empty icon="done" title={words.none}>
          {words.noneText}
        </Empty>
      )}
      {letters.length > 0 && isNoneShown && !query.isFetchingNextPage && (
        <NoMatches icon="warning" title={words.noMatches} onClear={clear} />
      )}
      <LoadMore query={query} isFiltered={filters.flowid !== undefined} isSorted={order !== undefined} />
    </Page>
  );
}

const groupByReason = (letters: readonly DeadLetter[], of: string | undefined) =>
  Object.entries(
    Object.groupBy(
      letters.filter(({ flowid }) => (of ?? flowid) === flowid),
      ({ reason }) => reason,
    ),
  );

interface ReasonGroupProps {
  readonly reason: string;
  readonly letters: readonly DeadLetter[];
  readonly flowid: string | undefined;
  /** There may be others with the reason that are not loaded. */
  readonly hasMore: boolean;
}

function ReasonGroup({ reason, letters, flowid, hasMore }: ReasonGroupProps) {
  const { may } = useSession();
  const mayRedrive = may('assistants.flows:run');
  const mayDismiss = may('assistants.flows:delete');
  const [chosen, setChosen] = useState<Chosen>({});
  const clear = () => setChosen({});
  const { redrive, done } = useRedrive((failed) =>
    setChosen(Object.fromEntries(failed.map((id) => [id, true]))),
  );
  const ids = letters.map(({ id }) => id).filter((id) => chosen[id]);
  return (
    <Panel
      title={`${reason} (${letters.length}${hasMore ? '+' : ''})`}
      aside={
        <div className={tables.buttons}>
          {mayRedrive && (
            <button
              type="button"
              className={buttons.button}
              disabled={ids.length === 0 || redrive.isPending}
              onClick={() => redrive.mutate(ids)}
            >
              {redrive.isPending
                ? words.redriving(done, redrive.variables.length)
                : words.redriveChosen(ids.length)}
            </button>
          )}
          {mayDismiss && ids.length > 0 && <DismissChosen ids={ids} onDone={clear} />}
          {ids.length === 0 && (letters.length > 1 || hasMore) && (
            <AllOfReason reason={reason} flowid={flowid} />
          )}
        </div>
      }
    >
      {redrive.data && redrive.data.failed.length > 0 && (
        <div className={styles.failed}>
          <p>{words.redriveFailed(redrive.data.failed.length)}</p>
          <Failure
            error={redrive.data.error}
            onRetry={ids.length > 0 ? () => redrive.mutate(ids) : undefined}
          />
        </div>
      )}
      <DataTable
        label={reason}
        items={letters}
        columns={columns}
        idOf={({ id }) => id}
        selection={
          mayRedrive || mayDismiss
            ? {
                chosen,
                onChange: setChosen,
                label: ({ id }) => words.choose(id),
                labelAll: words.chooseAll(reason),
              }
            : undefined
        }
        actions={({ id }) => (
          <Actions id={id} isBusy={redrive.isPending} onRedrive={() => redrive.mutate([id])} />
        )}
      />
    </Panel>
  );
}

const columns: readonly Column<DeadLetter>[] = [
  {
    id: 'flow',
    title: words.event,
    sortBy: ({ flowid }) => flowid,
    cell: (letter) => <Event letter={letter} />,
    isHeader: true,
  },
  {
    id: 'attempts',
    title: words.failures,
    sortBy: ({ attempts }) => attempts,
    cell: ({ attempts }) => words.attempts(attempts),
    isWide: true,
    isSoft: true,
  },
  {
    id: 'seen',
    title: words.seen,
    sortBy: ({ last_seen_at }) => Date.parse(last_seen_at),
    cell: (letter) => <Times letter={letter} />,
    isWide: true,
    isSoft: true,
  },
];

const Event = ({ letter: { flowid, workflow_id, preview } }: { letter: DeadLetter }) => (
  <>
    {flowid ?? words.noFlow}
    {workflow_id && (
      <div className={tables.soft}>
        <Link href={`/runs/${workflow_id}`} className={styles.run}>
          {words.run} {workflow_id}
        </Link>
      </div>
    )}
    <details className={styles.preview}>
      <summary>{words.preview}</summary>
      <pre>{preview}</pre>
    </details>
  </>
);

const Times = ({ letter: { last_seen_at, redriven_at } }: { letter: DeadLetter }) => (
  <>
    <Ago time={last_seen_at} />
    {redriven_at && (
      <div>
        {words.redriven} <Ago time={redriven_at} />
      </div>
    )}
  </>
);

interface ActionsProps {
  readonly id: string;
  readonly isBusy: boolean;
  readonly onRedrive: () => void;
}

function Actions({ id, isBusy, onRedrive }: ActionsProps) {
  const { may } = useSession();
  return (
    <>
      {may('assistants.flows:run') && (
        <button
          type="button"
          className={buttons.button}
          aria-label={`${words.redrive} ${id}`}
          disabled={isBusy}
          onClick={onRedrive}
        >
          {words.redrive}
        </button>
      )}
      {may('assistants.flows:delete') && <DismissButton id={id} />}
    </>
  );
}

function DismissChosen({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const dismiss = useDismiss();
  const toasts = Toast.useToastManager();
  return (
    <ConfirmButton
      label={words.dismissChosen(ids.length)}
      title={words.dismissChosenTitle(ids.length)}
      text={words.dismissChosenText}
      action={() => dismiss(ids)}
      onDone={() => {
        toasts.add({ title: words.dismissDone(ids.length) });
        onDone();
      }}
    />
  );
}

function DismissButton({ id }: { id: string }) {
  const { workspaceid } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label={words.dismiss}
      of={id}
      title={words.dismissTitle}
      text={words.dismissText}
      action={() => call('dismissDeadLetter', { params: { id }, query: { workspaceid } })}
      onDone={() => {
        toasts.add({ title: words.dismissed });
        void queries.invalidateQueries({ queryKey: ['dead-letters'] });
      }}
    />
  );
}
