// What forms that start a run from another one have in common: where the new run is executed, and by which build.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import type { FieldPointers } from '../parts/field-errors.ts';
import { SelectField } from '../parts/form.tsx';
import type { RunDetail } from './queries.ts';
import { valueWords } from './value-words.ts';
import { words } from './words.ts';

const environments = ['live', 'test', 'dev', 'uat'] as const;
const buildsMax = '50';

/** Leads to the new run. */
export function useStart<Body>(start: (body: Body) => Promise<{ readonly workflow_id: string }>) {
  const [, go] = useLocation();
  return useMutation({ mutationFn: start, onSuccess: ({ workflow_id }) => go(`/runs/${workflow_id}`) });
}

export type ReadField = (name: string) => string;

/** The part of a body that the fields of every such form give. */
export function readTarget(text: ReadField): { environment: string; a2aregistryid?: string } {
  const build = text('build');
  return { environment: text('environment'), ...(build !== '' && { a2aregistryid: build }) };
}

interface StartFormProps {
  readonly run: RunDetail;
  readonly start: { readonly error: unknown; readonly isPending: boolean };
  readonly pointers: FieldPointers;
  /** Mistakes that were found before the request. */
  readonly own: ReadonlyMap<string, string> | undefined;
  readonly onSubmit: (text: ReadField) => void;
  readonly children: ReactNode;
}

export function StartForm({ run, start, pointers, own, onSubmit, children }: StartFormProps) {
  const builds = useBuildsOf(run);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onSubmit((name) => String(form.get(name) ?? ''));
  };
  return (
    <CheckedForm
      isInDialog
      error={start.error}
      pointers={{ ...pointers, environment: '/body/environment', build: '/body/a2aregistryid' }}
      own={own}
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
      {children}
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
function useBuildsOf({ workspaceid, flowid }: RunDetail): readonly (readonly [string, string])[] {
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
