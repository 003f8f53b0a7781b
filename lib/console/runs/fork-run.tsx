// Starts a run that begins at an execution of this one, with what was kept of those before it.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type CallInput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import dialog from '../parts/dialog.module.css';
import type { FieldPointers } from '../parts/field-errors.ts';
import { SelectField, TextField } from '../parts/form.tsx';
import { readJsonObject } from '../parts/json-object.ts';
import { ExecutionValues } from './execution-values.tsx';
import { forkWords as words } from './fork-words.ts';
import type { RunDetail } from './queries.ts';
import { environments, useBuildsOf } from './run-again.tsx';
import { valueWords } from './value-words.ts';
import { words as runWords } from './words.ts';

interface ForkRunProps {
  readonly run: RunDetail;
  /** The id of the execution; undefined while nobody forks. */
  readonly execution: string | undefined;
  readonly onClose: () => void;
}

export const ForkRun = ({ run, execution, onClose }: ForkRunProps) => (
  <Dialog.Root open={execution !== undefined} onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={dialog.backdrop} />
      <Dialog.Popup className={dialog.popup}>
        {execution !== undefined && (
          <>
            <Dialog.Title className={dialog.title}>{words.title(execution)}</Dialog.Title>
            <Dialog.Description className={dialog.text}>{words.text}</Dialog.Description>
            <ForkForm key={execution} run={run} execution={execution} />
          </>
        )}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

type Body = NonNullable<CallInput<'forkRun'>['body']>;
const pointers: FieldPointers = {
  outputs: '/body/outputs',
  state: '/body/state',
  environment: '/body/environment',
  build: '/body/a2aregistryid',
};

function ForkForm({ run, execution }: { readonly run: RunDetail; readonly execution: string }) {
  const [, go] = useLocation();
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const builds = useBuildsOf(run);
  const { workflow_id } = run;
  const start = useMutation({
    mutationFn: (body: Body) => call('forkRun', { params: { workflow_id }, body }),
    onSuccess: (forked) => go(`/runs/${forked.workflow_id}`),
  });
  const isNotKept = start.error instanceof ApiError && start.error.problem.code.endsWith('_not_kept');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    const [outputs, state] = [readJsonObject(text('outputs')), readJsonObject(text('state'))];
    const wrong = [!outputs && 'outputs', !state && 'state'].filter((name) => name !== false);
    setMistakes(new Map(wrong.map((name) => [name, words.notAnObject])));
    if (!outputs || !state) return;
    const build = text('build');
    start.mutate({
      from: execution,
      outputs,
      state,
      environment: text('environment'),
      ...(build !== '' && { a2aregistryid: build }),
    });
  };
  return (
    <CheckedForm
      isInDialog
      error={start.error}
      pointers={pointers}
      own={mistakes}
      onSubmit={submit}
      actions={
        <>
          <Dialog.Close className={buttons.button}>{runWords.leave}</Dialog.Close>
          <button type="submit" className={buttons.primary} disabled={start.isPending}>
            {runWords.start}
          </button>
        </>
      }
    >
      <details>
        <summary>{valueWords.title}</summary>
        <ExecutionValues workflow_id={workflow_id} execution={execution} />
      </details>
      <TextField label={words.outputs} name="outputs" value="{}" hint={words.outputsHint} isLong />
      <TextField label={words.state} name="state" value="{}" hint={words.stateHint} isLong />
      <SelectField
        label={runWords.environment}
        name="environment"
        value={run.environment}
        options={environments.map((name) => [name, name] as const)}
      />
      <SelectField
        label={runWords.build}
        name="build"
        value=""
        options={[['', valueWords.anyBuild], ...builds]}
      />
      {isNotKept && <Link href="/environments">{valueWords.environments}</Link>}
    </CheckedForm>
  );
}
