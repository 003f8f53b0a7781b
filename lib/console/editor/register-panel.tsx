// Registers a build of the edited flow, and leads to its page.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { JsonObject } from '#lib/json/json.ts';
import { buildPath } from '../agents/queries.ts';
import { type CallInput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import styles from '../parts/form.module.css';
import { Failure } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import editor from './editor.module.css';
import type { EditedFlow } from './use-edited-flow.ts';
import { words } from './words.ts';

export type BuildBody = CallInput<'createRegistryRow'>['body'];

interface RegisterPanelProps {
  readonly edited: EditedFlow;
  readonly text: string;
  readonly children: ReactNode;
  /** Throws for what cannot be sent. */
  readonly toBody: (flow: JsonObject, form: FormData) => BuildBody | Promise<BuildBody>;
  readonly onRegistered: () => void;
}

export function RegisterPanel({ edited, text, children, toBody, onRegistered }: RegisterPanelProps) {
  const { may, workspaceid } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const mayCreate = may('assistants.flows:create');
  const register = useMutation({
    mutationFn: async ({ flow, form }: { flow: JsonObject; form: FormData }) =>
      call('createRegistryRow', { query: { workspaceid }, body: await toBody(flow, form) }),
    onError: (error) => edited.showRefusal(error),
    onSuccess: async ({ flowid, a2aregistryid, build_no }) => {
      onRegistered();
      toasts.add({ title: words.registered(build_no) });
      await queries.invalidateQueries({ queryKey: ['builds'] });
      navigate(buildPath(flowid, a2aregistryid));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { flow } = edited;
    if (flow) register.mutate({ flow, form: new FormData(event.currentTarget) });
  };
  return (
    <Panel title={words.registerTitle}>
      {!mayCreate && <p className={editor.note}>{words.mayNot}</p>}
      {mayCreate && (
        <form className={styles.form} onSubmit={submit}>
          <p className={editor.soft}>{text}</p>
          {children}
          {register.error && <Failure error={register.error} />}
          {edited.check && !edited.isValid && !edited.check.hasFailed && (
            <p className={editor.soft}>{edited.check.text === edited.text ? words.notYet : words.checking}</p>
          )}
          <div className={styles.actions}>
            <button
              type="submit"
              className={buttons.primary}
              disabled={!edited.isValid || register.isPending}
            >
              {words.register}
            </button>
          </div>
        </form>
      )}
    </Panel>
  );
}

/** An optional field of the form. */
export function optional<Name extends string>(
  form: FormData,
  name: Name,
): { readonly [name in Name]?: string } {
  const value = String(form.get(name) ?? '').trim();
  return value === '' ? {} : ({ [name]: value } as { readonly [name in Name]: string });
}
