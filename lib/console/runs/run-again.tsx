// Starts another run with the input of this one, which can be edited before.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { JsonObject } from '#lib/json/json.ts';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import { TextField } from '../parts/form.tsx';
import { readJsonObject } from '../parts/json-object.ts';
import { Failure } from '../parts/list-state.tsx';
import type { RunDetail } from './queries.ts';
import type { Input } from './run-input.tsx';
import { words } from './words.ts';

interface RunAgainProps {
  readonly run: RunDetail;
  readonly input: Input;
}

export const RunAgain = (props: RunAgainProps) => (
  <Dialog.Root>
    <Dialog.Trigger className={buttons.button}>{words.runAgain}</Dialog.Trigger>
    <Dialog.Portal>
      <Dialog.Backdrop className={dialog.backdrop} />
      <Dialog.Popup className={dialog.popup}>
        <Dialog.Title className={dialog.title}>{words.runAgainTitle}</Dialog.Title>
        <Dialog.Description className={dialog.text}>{words.runAgainText}</Dialog.Description>
        <RunAgainForm {...props} />
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

interface Started {
  readonly message: string;
  readonly user_variables: JsonObject;
  readonly environment: string;
}

function RunAgainForm({ run, input }: RunAgainProps) {
  const [, go] = useLocation();
  const [isMistaken, setMistaken] = useState(false);
  const start = useMutation({
    mutationFn: ({ environment, ...body }: Started) =>
      call('startRun', {
        params: { workspace_id: run.workspaceid, trigger_id: run.flowid, environment },
        body,
      }),
    onSuccess: ({ workflow_id }) => go(`/runs/${workflow_id}`),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    const user_variables = readJsonObject(text('user_variables'));
    setMistaken(!user_variables);
    if (user_variables)
      start.mutate({ message: text('message'), user_variables, environment: text('environment') });
  };
  return (
    <form onSubmit={submit} className={dialog.form}>
      <TextField label={words.message} name="message" value={String(input.message ?? '')} isLong />
      <TextField
        label={words.variables}
        name="user_variables"
        value={JSON.stringify(input.user_variables ?? {}, undefined, 2)}
        isLong
      />
      <TextField label={words.environment} name="environment" value={run.environment} isRequired />
      {isMistaken && <p role="alert">{words.notAnObject}</p>}
      {start.error && <Failure error={start.error} />}
      <div className={dialog.actions}>
        <Dialog.Close className={buttons.button}>{words.leave}</Dialog.Close>
        <button type="submit" className={buttons.primary} disabled={start.isPending}>
          {words.start}
        </button>
      </div>
    </form>
  );
}
