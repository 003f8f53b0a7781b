// Stores a connection, or replaces one: its address names all but the credential.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { FieldGroup, SelectField, TextField } from '../parts/form.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import {
  type ConnectionType,
  fieldsOf,
  isConnectionType,
  pointersOf,
  readConnectionForm,
} from './connection-fields.ts';
import { words } from './words.ts';

export function ConnectionFormPage() {
  const [search] = useSearchParams();
  const given = (name: string) => search.get(name) ?? undefined;
  const asked = given('type');
  const [type, setType] = useState<ConnectionType>(isConnectionType(asked) ? asked : 'http_bearer');
  const [, navigate] = useLocation();
  const name = given('name');
  const back = given('run') === undefined ? '/connections' : `/runs/${given('run')}`;
  const store = useStore(() => navigate(back));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    store.mutate({ form: new FormData(event.currentTarget), type });
  };
  return (
    <Page title={words.create} lead={words.createLead}>
      <Panel title={name ?? words.create}>
        <CheckedForm
          error={store.error}
          pointers={pointersOf(type)}
          onSubmit={submit}
          actions={
            <>
              <button type="submit" className={buttons.primary} disabled={store.isPending}>
                {words.save}
              </button>
              <button type="button" className={buttons.button} onClick={() => navigate(back)}>
                {words.cancel}
              </button>
            </>
          }
        >
          <TextField label={words.name} name="name" hint={words.nameHint} value={name} isRequired />
          <SelectField
            label={words.type}
            name="type"
            value={type}
            options={Object.entries(words.types)}
            onChange={(value) => isConnectionType(value) && setType(value)}
          />
          <TextField
            label={words.hosts}
            name="hosts"
            hint={words.hostsHint}
            value={given('hosts')}
            isRequired
          />
          <SelectField
            label={words.scope}
            name="scope"
            value={given('scope') ?? 'organization'}
            options={Object.entries(words.scopes)}
          />
          <TextField label={words.label} name="label" hint={words.labelHint} value={given('label')} />
          <CredentialFields key={type} type={type} />
        </CheckedForm>
      </Panel>
    </Page>
  );
}

const CredentialFields = ({ type }: { type: ConnectionType }) => (
  <FieldGroup title={words.credential}>
    {fieldsOf(type).map(({ name, label, hint, isSecret, isOptional, options }) =>
      options ? (
        <SelectField key={name} label={label} name={name} options={options} />
      ) : (
        <TextField
          key={name}
          label={label}
          name={name}
          hint={hint}
          type={isSecret ? 'password' : 'text'}
          isRequired={!isOptional}
        />
      ),
    )}
  </FieldGroup>
);

function useStore(onStored: () => void) {
  const { workspaceid } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return useMutation({
    // The credential is not kept with the state of the mutation.
    gcTime: 0,
    mutationFn: ({ form, type }: { form: FormData; type: ConnectionType }) =>
      call('putConnection', {
        params: { name: String(form.get('name')).trim() },
        query: { workspaceid },
        body: readConnectionForm(form, type),
      }),
    onSuccess: async () => {
      toasts.add({ title: words.stored });
      // Runs that waited go on.
      await queries.invalidateQueries();
      onStored();
    },
  });
}
