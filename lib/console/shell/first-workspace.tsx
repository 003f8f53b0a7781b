// What a person sees whose organisation has no workspace yet: its owners create the first one here.
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type CallInput, type CallOutput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { TextField } from '../parts/form.tsx';
import { Page, Panel } from '../parts/page.tsx';
import styles from './session.module.css';
import { signOut } from './sign-out.ts';
import { words } from './words.ts';

interface FirstWorkspaceProps {
  readonly me: CallOutput<'getMe'>;
  readonly onCreated: () => Promise<unknown>;
}

export function FirstWorkspace({ me, onCreated }: FirstWorkspaceProps) {
  const mayCreate = me.workspaces === '*' && me.permissions.includes('workspaces:write');
  return (
    <main className={styles.first}>
      <Page
        title={words.noWorkspace}
        lead={words.isMember(me.name ?? me.email ?? me.id, me.orgid)}
        aside={
          <button type="button" className={buttons.button} onClick={signOut}>
            {words.signOut}
          </button>
        }
      >
        <Panel title={words.createWorkspace}>
          {mayCreate ? (
            <WorkspaceForm onCreated={onCreated} />
          ) : (
            <p className={styles.none}>{words.askForWorkspace}</p>
          )}
        </Panel>
      </Page>
    </main>
  );
}

const pointers = { name: '/body/name', workspaceid: '/body/workspaceid' };

function WorkspaceForm({ onCreated }: Pick<FirstWorkspaceProps, 'onCreated'>) {
  const create = useMutation({
    mutationFn: (body: CallInput<'createWorkspace'>['body']) => call('createWorkspace', { body }),
    onSuccess: onCreated,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const workspaceid = String(form.get('workspaceid') ?? '').trim();
    create.mutate({ name: String(form.get('name') ?? ''), ...(workspaceid !== '' && { workspaceid }) });
  };
  return (
    <CheckedForm
      error={create.error}
      pointers={pointers}
      onSubmit={submit}
      actions={
        <button type="submit" className={buttons.primary} disabled={create.isPending}>
          {words.createWorkspace}
        </button>
      }
    >
      <TextField label={words.workspaceName} name="name" hint={words.workspaceNameHint} isRequired />
      <TextField label={words.workspaceId} name="workspaceid" hint={words.workspaceIdHint} />
    </CheckedForm>
  );
}
