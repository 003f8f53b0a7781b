// Issues an API key, whose rights are no wider than those of the person. Its token is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Permission } from '#lib/access/permission.ts';
import { type CallInput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import fields from '../parts/field.module.css';
import styles from '../parts/form.module.css';
import { CheckField, FieldGroup, TextField } from '../parts/form.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { words } from './words.ts';

const rights = Object.keys(words.rightsOf) as Permission[];
const daysDefault = 90;
/** Rights and workspaces are several check boxes; what is wrong with them stands in the box of the error. */
const keyPointers = { label: '/body/label', days: '/body/expires_in_days' };

export function NewApiKeyPage() {
  const queries = useQueryClient();
  const issue = useMutation({
    // The token is not kept once the page is left.
    gcTime: 0,
    mutationFn: (body: CallInput<'createApiKey'>['body']) => call('createApiKey', { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <Page title={words.issue} lead={words.issueLead}>
      {issue.data ? (
        <Panel title={issue.data.label}>
          <div className={styles.form} role="status">
            <p>
              <strong>{words.shownOnce}</strong>
            </p>
            <CopyText text={issue.data.token} label={words.theToken} />
            {issue.data.warnings?.map(({ code, detail }) => (
              <p key={code} className={fields.hint}>
                {detail}
              </p>
            ))}
            <div className={styles.actions}>
              <Link href="/settings/keys" className={buttons.button}>
                {words.back}
              </Link>
            </div>
          </div>
        </Panel>
      ) : (
        <Panel title={words.issue}>
          <KeyForm isPending={issue.isPending} error={issue.error} onIssue={issue.mutate} />
        </Panel>
      )}
    </Page>
  );
}

interface KeyFormProps {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onIssue: (body: CallInput<'createApiKey'>['body']) => void;
}

function KeyForm({ isPending, error, onIssue }: KeyFormProps) {
  const { may, me, workspaceid, workspaces } = useSession();
  const [, navigate] = useLocation();
  const [missing, setMissing] = useState<'rights' | 'workspaces'>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const scopes = rights.filter((right) => form.getAll('scopes').includes(right));
    const chosen = form.getAll('workspaces').map(String);
    const lacks = scopes.length === 0 ? 'rights' : chosen.length === 0 ? 'workspaces' : undefined;
    setMissing(lacks);
    if (lacks) return;
    onIssue({
      label: String(form.get('label')),
      scopes,
      workspaces: chosen.includes('*') ? '*' : chosen,
      expires_in_days: Number(form.get('days')),
    });
  };
  return (
    <CheckedForm
      error={missing ? undefined : error}
      pointers={keyPointers}
      onSubmit={submit}
      actions={
        <>
          <button type="submit" className={buttons.primary} disabled={isPending}>
            {words.create}
          </button>
          <button type="button" className={buttons.button} onClick={() => navigate('/settings/keys')}>
            {words.cancel}
          </button>
        </>
      }
    >
      <TextField label={words.label} name="label" hint={words.labelHint} isRequired />
      <FieldGroup title={words.rights}>
        <div className={styles.checks}>
          {rights.filter(may).map((right) => (
            <CheckField
              key={right}
              name="scopes"
              value={right}
              label={words.rightsOf[right]}
              isChecked={right === 'assistants.flows:run'}
            />
          ))}
        </div>
        {missing === 'rights' && <Missing text={words.noRights} />}
      </FieldGroup>
      <FieldGroup title={words.workspaces}>
        <div className={styles.checks}>
          {me.workspaces === '*' && <CheckField name="workspaces" value="*" label={words.allWorkspaces} />}
          {workspaces.map(({ id, name }) => (
            <CheckField key={id} name="workspaces" value={id} label={name} isChecked={id === workspaceid} />
          ))}
        </div>
        {missing === 'workspaces' && <Missing text={words.noWorkspaces} />}
      </FieldGroup>
      <TextField
        label={words.days}
        name="days"
        type="number"
        hint={words.daysHint}
        value={String(daysDefault)}
        isRequired
      />
    </CheckedForm>
  );
}

const Missing = ({ text }: { text: string }) => (
  <p className={fields.error} role="alert">
    {text}
  </p>
);
