// What could not be run, by reason, and running it again.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import fields from '../parts/field.module.css';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { useLoadOn } from '../parts/load-on.ts';
import { Page, Panel } from '../parts/page.tsx';
import tables from '../parts/table.module.css';
import { Ago } from '../parts/time.tsx';
import { words as common } from '../parts/words.ts';
import { useSession } from '../shell/session.tsx';
import { AllOfReason } from './all-of-reason.tsx';
import styles from './dead-letters-page.module.css';
import { type DeadLetter, useDeadLetters, useDismiss, useRedrive } from './queries.ts';
import { words } from './words.ts';

const filterNames = ['flowid'] as const;

export function DeadLettersPage() {
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { letters, query } = useDeadLetters();
  const shown = letters.filter(({ flowid }) => (filters.flowid ?? flowid) === flowid);
  const groups = Object.entries(Object.groupBy(shown, ({ reason }) => reason));
  useLoadOn(query, shown.length === 0);
  return (
    <Page title={words.deadLetters} lead={words.lead}>
      <search className={fields.row}>
        <input
          key={filters.flowid ?? ''}
          className={fields.input}
          type="search"
          aria-label={words.flowFilter}
          placeholder={words.flowFilter}
          defaultValue={filters.flowid ?? ''}
          onBlur={(event) => setFilter('flowid', event.target.value.trim())}
          onKeyDown={(event) => {
            if (event.key === 'Enter') setFilter('flowid', event.currentTarget.value.trim());
          }}
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
      {letters.length > 0 && shown.length === 0 && !query.isFetchingNextPage && (
        <NoMatches icon="warning" title={words.noMatches} onClear={clear} />
      )}
      <LoadMore query={query} isFiltered={filters.flowid !== undefined} />
    </Page>
  );
}

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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const clear = () => setChosen(new Set());
  const { redrive, done } = useRedrive(clear);
  const ids = letters.map(({ id }) => id).filter((id) => chosen.has(id));
  const choose = (all: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of all) isChosen ? next.add(id) : next.delete(id);
    setChosen(next);
  };
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
      <table className={tables.table} aria-label={reason}>
        <thead>
          <tr>
            {(mayRedrive || mayDismiss) && (
              <th scope="col" className={styles.check}>
                <input
                  type="checkbox"
                  aria-label={words.chooseAll(reason)}
                  checked={ids.length === letters.length}
                  onChange={(event) =>
                    choose(
                      letters.map(({ id }) => id),
                      event.target.checked,
                    )
                  }
                />
              </th>
            )}
            <th scope="col">{words.event}</th>
            <th scope="col" className={tables.wide}>
              {words.seen}
            </th>
            <th scope="col">
              <span className="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <Row
              key={letter.id}
              letter={letter}
              isChosen={chosen.has(letter.id)}
              isBusy={redrive.isPending}
              onChoose={(isChosen) => choose([letter.id], isChosen)}
              onRedrive={() => redrive.mutate([letter.id])}
            />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

interface RowProps {
  readonly letter: DeadLetter;
  readonly isChosen: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onRedrive: () => void;
}

function Row({ letter, isChosen, isBusy, onChoose, onRedrive }: RowProps) {
  const { id, flowid, workflow_id, preview, last_seen_at, attempts, redriven_at } = letter;
  const { may } = useSession();
  return (
    <tr>
      {(may('assistants.flows:run') || may('assistants.flows:delete')) && (
        <td className={styles.check}>
          <input
            type="checkbox"
            data-row
            aria-label={words.choose(id)}
            checked={isChosen}
            onChange={(event) => onChoose(event.target.checked)}
          />
        </td>
      )}
      <th scope="row">
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
      </th>
      <td className={`${tables.wide} ${tables.soft}`}>
        <Ago time={last_seen_at} />
        <div>{words.attempts(attempts)}</div>
        {redriven_at && (
          <div>
            {words.redriven} <Ago time={redriven_at} />
          </div>
        )}
      </td>
      <td>
        <div className={tables.buttons}>
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
        </div>
      </td>
    </tr>
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
