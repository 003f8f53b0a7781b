// Starts a run that begins at an execution of this one, with what was kept of those before it.
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { Link } from 'wouter';
import { type CallInput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import dialog from '../parts/dialog.module.css';
import { TextField } from '../parts/form.tsx';
import { readJsonObject } from '../parts/json-object.ts';
import { ExecutionValues } from './execution-values.tsx';
import { forkWords as words } from './fork-words.ts';
import type { RunDetail } from './queries.ts';
import { type ReadField, readTarget, StartForm, useStart } from './start-form.tsx';
import { valueWords } from './value-words.ts';

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
const pointers = { outputs: '/body/outputs', state: '/body/state' };

function ForkForm({ run, execution }: { readonly run: RunDetail; readonly execution: string }) {
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const { workflow_id } = run;
  const start = useStart((body: Body) => call('forkRun', { params: { workflow_id }, body }));
  const isNotKept = start.error instanceof ApiError && start.error.problem.code.endsWith('_not_kept');
  const submit = (text: ReadField) => {
    const [outputs, state] = [readJsonObject(text('outputs')), readJsonObject(text('state'))];
    const wrong = [!outputs && 'outputs', !state && 'state'].filter((name) => name !== false);
    setMistakes(new Map(wrong.map((name) => [name, words.notAnObject])));
    if (outputs && state) start.mutate({ from: execution, outputs, state, ...readTarget(text) });
  };
  return (
    <StartForm run={run} start={start} pointers={pointers} own={mistakes} onSubmit={submit}>
      <details>
        <summary>{valueWords.title}</summary>
        <ExecutionValues workflow_id={workflow_id} execution={execution} />
      </details>
      <TextField label={words.outputs} name="outputs" value="{}" hint={words.outputsHint} isLong />
      <TextField label={words.state} name="state" value="{}" hint={words.stateHint} isLong />
      {isNotKept && <Link href="/environments">{valueWords.environments}</Link>}
    </StartForm>
  );
}
