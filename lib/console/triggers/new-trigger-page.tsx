// Declares a trigger.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { type CallInput, call } from '../api/client.ts';
import { SelectField, TextField } from '../parts/form.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import type { TriggerKind, UpdateBody } from './trigger-body.ts';
import { TriggerForm } from './trigger-form.tsx';
import { words } from './words.ts';

const isKind = (value: string | null): value is TriggerKind => value !== null && value in words.kinds;

export function NewTriggerPage() {
  const { workspaceid, may } = useSession();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const asked = search.get('kind');
  const [kind, setKind] = useState<TriggerKind>(isKind(asked) ? asked : 'schedule');
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (body: CallInput<'createTrigger'>['body']) =>
      call('createTrigger', { query: { workspaceid }, body }),
    onSuccess: async ({ trigger_id }) => {
      toasts.add({ title: words.created });
      await queries.invalidateQueries({ queryKey: ['triggers'] });
      navigate(`/triggers/${trigger_id}`);
    },
  });
  const submit = (body: UpdateBody, form: FormData) => {
    const { new_address: _, ...rest } = body;
    const trigger_id = String(form.get('trigger_id') ?? '').trim();
    create.mutate({ ...rest, kind, ...(trigger_id && { trigger_id }) });
  };
  // Schedules run as the person who declares them.
  const kinds = Object.entries(words.kinds).filter(
    ([each]) => each !== 'schedule' || may('assistants.flows:run'),
  );
  return (
    <Page title={words.create} lead={words.createLead}>
      <Panel title={words.facts}>
        <TriggerForm
          kind={kind}
          submit={words.save}
          isPending={create.isPending}
          error={create.error}
          onSubmit={submit}
          onCancel={() => navigate('/triggers')}
        >
          <SelectField
            label={words.kind}
            name="kind"
            hint={words.kindTexts[kind]}
            value={kind}
            options={kinds}
            onChange={(value) => isKind(value) && setKind(value)}
          />
          <TextField
            label={words.id}
            name="trigger_id"
            hint={words.idHint}
            placeholder="trg_nightly-report"
          />
        </TriggerForm>
      </Panel>
    </Page>
  );
}
