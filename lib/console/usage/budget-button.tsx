// Sets a budget, or changes one. A limit that is reached already is asked for twice, because it stops runs at once.
import { Dialog } from '@base-ui/react/dialog';
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type CallInput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import dialog from '../parts/dialog.module.css';
import { CheckField, SelectField, TextField } from '../parts/form.tsx';
import type { Budget } from './queries.ts';
import { words } from './words.ts';

interface BudgetScope {
  /** Of the workspace; undefined for the whole organisation. */
  readonly id: string | undefined;
  readonly name: string;
}

interface BudgetButtonProps {
  /** What can get the budget. */
  readonly scopes: readonly BudgetScope[];
  /** The one that is changed; its scope is the only one. */
  readonly budget?: Budget;
}

export function BudgetButton({ scopes, budget }: BudgetButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const title = budget ? words.changeOf(scopes[0]?.name ?? '') : words.setTitle;
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger
        className={budget ? buttons.button : buttons.primary}
        aria-label={budget ? title : undefined}
      >
        {budget ? words.change : words.set}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{title}</Dialog.Title>
          <BudgetForm scopes={scopes} budget={budget} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const pointers = {
  workspaceid: '/query/workspaceid',
  monthly_limit: '/body/monthly_limit',
  warn_percent: '/body/warn_percent',
  stop: '/body/stop',
};

type Input = CallInput<'setBudget'>;

interface BudgetFormProps extends Pick<BudgetButtonProps, 'scopes'> {
  readonly budget: Budget | undefined;
  readonly onDone: () => void;
}

function BudgetForm({ scopes, budget, onDone }: BudgetFormProps) {
  const [doubtful, setDoubtful] = useState<number>();
  const save = useSave(onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = readForm(new FormData(event.currentTarget), scopes);
    const { monthly_limit, stop } = input.body;
    if (stop && monthly_limit <= (budget?.spent ?? 0) && monthly_limit >= 0 && doubtful !== monthly_limit)
      setDoubtful(monthly_limit);
    else save.mutate(input);
  };
  const isDoubtful = doubtful !== undefined;
  return (
    <CheckedForm
      isInDialog
      error={save.error}
      pointers={pointers}
      onSubmit={submit}
      actions={
        <>
          <Dialog.Close className={buttons.button}>{words.cancel}</Dialog.Close>
          <button
            type="submit"
            className={isDoubtful ? buttons.danger : buttons.primary}
            disabled={save.isPending}
          >
            {isDoubtful ? words.stopNow : words.save}
          </button>
        </>
      }
    >
      {!budget && (
        <SelectField
          label={words.workspace}
          name="workspaceid"
          options={scopes.map(({ id = '', name }) => [id, name] as const)}
        />
      )}
      <TextField
        label={words.limit}
        name="monthly_limit"
        type="number"
        range={{ min: undefined, max: undefined, step: 'any' }}
        value={budget && String(budget.monthly_limit)}
        isRequired
      />
      <TextField
        label={words.warnAt}
        name="warn_percent"
        type="number"
        range={{ min: undefined, max: undefined, step: 'any' }}
        value={String(budget?.warn_percent ?? 80)}
        isRequired
      />
      <CheckField label={words.stop} name="stop" isChecked={budget?.stop ?? true} />
      {isDoubtful && <p role="alert">{words.stopsNow}</p>}
    </CheckedForm>
  );
}

function readForm(form: FormData, scopes: readonly BudgetScope[]) {
  const chosen = form.get('workspaceid');
  const workspaceid = chosen === null ? scopes[0]?.id : String(chosen) || undefined;
  return {
    query: workspaceid === undefined ? {} : { workspaceid },
    body: {
      monthly_limit: Number(form.get('monthly_limit')),
      warn_percent: Number(form.get('warn_percent')),
      stop: form.has('stop'),
    },
  } satisfies Input;
}

function useSave(onDone: () => void) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => call('setBudget', input),
    onSuccess: async ({ state }) => {
      toasts.add({ title: words.saved(state) });
      onDone();
      await queries.invalidateQueries({ queryKey: ['budgets'] });
    },
  });
}
