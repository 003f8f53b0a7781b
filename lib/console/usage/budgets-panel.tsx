// The budgets of the organisation and of workspaces, with what was spent of them. Who may sets, changes and deletes them.
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { formatAmount, formatFull } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { useSession } from '../shell/session.tsx';
import { BudgetButton } from './budget-button.tsx';
import { mayChangeBudget } from './may-change-budget.ts';
import { type Budget, useBudgets } from './queries.ts';
import styles from './usage-page.module.css';
import { words } from './words.ts';

export function BudgetsPanel() {
  const { data, error, isPending, refetch } = useBudgets();
  const free = useFreeScopes(data?.items);
  const button = free.length > 0 && <BudgetButton scopes={free} />;
  const hasSome = data !== undefined && data.items.length > 0;
  return (
    <Panel title={words.budgets} aside={hasSome && button}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading />}
      {data?.items.length === 0 && (
        <Empty icon="usage" title={words.noBudgets} action={button}>
          {words.noBudgetsText}
        </Empty>
      )}
      {hasSome && (
        <ul aria-label={words.budgets}>
          {data.items.map((budget) => (
            <BudgetItem key={budget.workspaceid ?? '*'} budget={budget} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** What has no budget yet and may get one, with its name. */
function useFreeScopes(budgets: readonly Budget[] | undefined) {
  const { me, workspaces } = useSession();
  if (!budgets) return [];
  const all = [
    { id: undefined, name: words.organisation },
    ...workspaces.map(({ id, name }) => ({ id, name })),
  ];
  return all.filter(
    ({ id }) => mayChangeBudget(me, id) && !budgets.some(({ workspaceid }) => workspaceid === id),
  );
}

function BudgetItem({ budget }: { budget: Budget }) {
  const { me } = useSession();
  const { workspaceid, state, spent, monthly_limit, warn_percent, stop, currency } = budget;
  const since = budget.exhausted_since ?? budget.warning_since;
  const name =
    workspaceid === undefined ? words.organisation : (me.workspace_names[workspaceid] ?? workspaceid);
  const spentOf = words.spentOf(formatAmount(spent, currency), formatAmount(monthly_limit, currency));
  return (
    <li className={styles.budget}>
      <div>
        <div className={styles.name}>
          {name} <Status status={state} />
        </div>
        <div className={styles.soft}>
          {stop ? words.stops : words.warnsOnly}, {words.warnsFrom(warn_percent)}
          {since !== undefined && <>, {words.since(formatFull(since))}</>}
        </div>
      </div>
      <div>
        <Meter budget={budget} name={name} text={spentOf} />
        {spentOf}
      </div>
      {mayChangeBudget(me, workspaceid) && (
        <div className={styles.buttons}>
          <BudgetButton scopes={[{ id: workspaceid, name }]} budget={budget} />
          <DeleteButton workspaceid={workspaceid} name={name} />
        </div>
      )}
    </li>
  );
}

/** The thin mark is where it begins to warn. */
function Meter({ budget, name, text }: { budget: Budget; name: string; text: string }) {
  const { spent, monthly_limit, warn_percent, state } = budget;
  const part = monthly_limit === 0 ? 100 : Math.min(100, (spent / monthly_limit) * 100);
  return (
    <div
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part)}
      aria-valuetext={text}
    >
      <svg className={styles.meter} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles[state]} width={part} height="8" />
        <rect className={styles.mark} x={Math.min(warn_percent, 99.5)} width="0.5" height="8" />
      </svg>
    </div>
  );
}

function DeleteButton({ workspaceid, name }: { workspaceid: string | undefined; name: string }) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label={words.remove}
      of={name}
      title={words.removeTitle(name)}
      text={words.removeText}
      action={() => call('deleteBudget', { query: { workspaceid } })}
      onDone={() => {
        toasts.add({ title: words.removed });
        void queries.invalidateQueries({ queryKey: ['budgets'] });
      }}
    />
  );
}
