// Tries a connection: one request with its credential, and the status that the host has answered with.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type CallOutput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import { TextField } from '../parts/form.tsx';
import { formatDuration } from '../parts/format.ts';
import { Failure } from '../parts/list-state.tsx';
import { useSession } from '../shell/session.tsx';
import type { Connection } from './connection-fields.ts';
import { words } from './words.ts';

export function TryButton({ connection }: { connection: Connection }) {
  const title = words.trying(connection.name);
  return (
    <Dialog.Root>
      <Dialog.Trigger className={buttons.button} aria-label={title}>
        {words.try}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{title}</Dialog.Title>
          <Dialog.Description className={dialog.text}>{words.tryText}</Dialog.Description>
          <TryForm connection={connection} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function TryForm({ connection: { name, scope, hosts } }: { connection: Connection }) {
  const { workspaceid } = useSession();
  const attempt = useMutation({
    mutationFn: (url: string) =>
      call('tryConnection', { params: { name }, query: { workspaceid }, body: { scope, url } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    attempt.mutate(String(new FormData(event.currentTarget).get('url')).trim());
  };
  const host = hosts.find((each) => !each.startsWith('*.'));
  return (
    <form onSubmit={submit} className={dialog.form}>
      <TextField
        label={words.url}
        name="url"
        hint={words.urlHint}
        value={`https://${host ?? ''}${host ? '/' : ''}`}
        isRequired
      />
      <div role="status">{attempt.data && <Answer {...attempt.data} />}</div>
      {attempt.error && <Failure error={attempt.error} />}
      <div className={dialog.actions}>
        <Dialog.Close className={buttons.button}>{words.close}</Dialog.Close>
        <button type="submit" className={buttons.primary} disabled={attempt.isPending}>
          {words.send}
        </button>
      </div>
    </form>
  );
}

function Answer({ host, status, error, duration_ms }: CallOutput<'tryConnection'>) {
  if (status === undefined)
    return (
      <p>
        {error?.message} (<code>{error?.code}</code>)
      </p>
    );
  return (
    <p>
      {words.answered(host, status, formatDuration(duration_ms))} {meaningOf(status)}
    </p>
  );
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) return words.refuses;
  return status >= 200 && status < 300 ? words.accepted : words.otherStatus;
}
