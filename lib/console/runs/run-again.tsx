// Starts another run with the input of this one, which can be edited before.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { type CallInput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import dialog from '../parts/dialog.module.css';
import type { FieldPointers } from '../parts/field-errors.ts';
import { SelectField, TextField } from '../parts/form.tsx';
import { readJsonObject } from '../parts/json-object.ts';
import type { RunDetail } from './queries.ts';
import type { Input } from './run-input.tsx';
import { valueWords } from './value-words.ts';
import { words } from './words.ts';

interface RunAgainProps {
  readonly run: RunDetail;
  /** Undefined if it is more than a message and variables: then it is sent again as it was. */
  readonly input: Partial<Input> | undefined;
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

type Body = NonNullable<CallInput<'replayRun'>['body']>;
export const environments = ['live', 'test', 'dev', 'uat'] as const;
const pointers: FieldPointers = {
  message: '/body/input/message',
  user_variables: '/body/input/user_variables',
  environment: '/body/environment',
  build: '/body/a2aregistryid',
};
const buildsMax = '50';

function RunAgainForm({ run, input }: RunAgainProps) {
  const [, go] = useLocation();
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const builds = useBuildsOf(run);
  const start = useMutation({
    mutationFn: (body: Body) => call('replayRun', { params: { workflow_id: run.workflow_id }, body }),
    onSuccess: ({ workflow_id }) => go(`/runs/${workflow_id}`),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    const user_variables = input && readJsonObject(text('user_variables'));
    const isMistaken = input !== undefined && !user_variables;
    setMistakes(isMistaken ? new Map([['user_variables', words.notAnObject]]) : undefined);
    if (isMistaken) return;
    const build = text('build');
    start.mutate({
      environment: text('environment'),
      ...(build !== '' && { a2aregistryid: build }),
      ...(user_variables && { input: { message: text('message'), user_variables } }),
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
          <Dialog.Close className={buttons.button}>{words.leave}</Dialog.Close>
          <button type="submit" className={buttons.primary} disabled={start.isPending}>
            {words.start}
          </button>
        </>
      }
    >
      {input ? (
        <>
          <TextField label={words.message} name="message" value={String(input.message ?? '')} isLong />
          <TextField
            label={words.variables}
            name="user_variables"
            value={JSON.stringify(input.user_variables ?? {}, undefined, 2)}
            isLong
          />
        </>
      ) : (
        <p>{valueWords.asItWas}</p>
      )}
      <SelectField
        label={words.environment}
        name="environment"
        value={run.environment}
        options={environments.map((name) => [name, name] as const)}
      />
      <SelectField
        label={words.build}
        name="build"
        value=""
        options={[['', valueWords.anyBuild], ...builds]}
      />
    </CheckedForm>
  );
}

/** The newest builds of the flow, to choose from. */
export function useBuildsOf({ workspaceid, flowid }: RunDetail): readonly (readonly [string, string])[] {
  const { data } = useQuery({
    queryKey: ['builds-to-run', workspaceid, flowid],
    queryFn: ({ signal }) =>
      call('listRegistryRows', { query: { workspaceid, flowid: [flowid], limit: buildsMax } }, { signal }),
  });
  return (data?.items ?? []).flatMap((item) =>
    'a2aregistryid' in item
      ? [[item.a2aregistryid, valueWords.buildOf(item.build_no, item.status)] as const]
      : [],
  );
}
