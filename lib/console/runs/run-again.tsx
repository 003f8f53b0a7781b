// Starts another run with the input of this one, which can be edited before.
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { type CallInput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import { TextField } from '../parts/form.tsx';
import { readJsonObject } from '../parts/json-object.ts';
import type { RunDetail } from './queries.ts';
import type { Input } from './run-input.tsx';
import { type ReadField, readTarget, StartForm, useStart } from './start-form.tsx';
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
const pointers = { message: '/body/input/message', user_variables: '/body/input/user_variables' };

function RunAgainForm({ run, input }: RunAgainProps) {
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const { workflow_id } = run;
  const start = useStart((body: Body) => call('replayRun', { params: { workflow_id }, body }));
  const submit = (text: ReadField) => {
    const user_variables = input && readJsonObject(text('user_variables'));
    const isMistaken = input !== undefined && !user_variables;
    setMistakes(isMistaken ? new Map([['user_variables', words.notAnObject]]) : undefined);
    if (isMistaken) return;
    start.mutate({
      ...readTarget(text),
      ...(user_variables && { input: { message: text('message'), user_variables } }),
    });
  };
  return (
    <StartForm run={run} start={start} pointers={pointers} own={mistakes} onSubmit={submit}>
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
    </StartForm>
  );
}
