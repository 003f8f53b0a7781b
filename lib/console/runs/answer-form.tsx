// What a run asks, and the form of the answer: the choices of the question, approve or deny, or what its schema says.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { formPath } from '../parts/connection-path.ts';
import fields from '../parts/field.module.css';
import { Failure } from '../parts/list-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './answer-form.module.css';
import type { RunDetail } from './queries.ts';
import { SchemaForm } from './schema-form.tsx';
import { words } from './words.ts';

export type Request = NonNullable<RunDetail['input_requests']>[number];
type Send = (answer: unknown) => void;

export const AnswerForms = ({ run }: { run: RunDetail }) =>
  (run.input_requests ?? []).map((request) => <AnswerForm key={request.id} run={run} request={request} />);

function AnswerForm({ run: { workspaceid, workflow_id }, request }: { run: RunDetail; request: Request }) {
  const { may } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const id = useId();
  const resume = useMutation({
    mutationFn: (answer: unknown) =>
      call('resumeRun', {
        params: { workspace_id: workspaceid, workflow_id },
        // Made from a form, it is JSON.
        body: { id: request.id, answer: answer as string },
      }),
    onSuccess: async () => {
      toasts.add({ title: words.answered });
      await queries.invalidateQueries();
    },
  });
  const send: Send = (answer) => resume.mutate(answer);
  return (
    <section className={styles.question} aria-labelledby={id}>
      <p className={styles.kind}>
        {words.asks} · {request.node_id}
        {request.expires_at && (
          <>
            {` · ${words.expires} `}
            <Ago time={request.expires_at} />
          </>
        )}
      </p>
      <h2 id={id} className={styles.prompt}>
        {request.prompt}
      </h2>
      {request.detail !== undefined && (
        <pre className={styles.detail}>{JSON.stringify(request.detail, undefined, 2)}</pre>
      )}
      {may('assistants.flows:run') && (
        <fieldset className={styles.fields} disabled={resume.isPending}>
          <legend className="visually-hidden">{words.answer}</legend>
          <Answer request={request} error={resume.error} send={send} />
        </fieldset>
      )}
    </section>
  );
}

interface AnswerProps {
  readonly request: Request;
  /** Why the last answer was refused. */
  readonly error?: unknown;
  readonly send: Send;
}

const anyText = { type: 'string' } as const;

/** The choices of the question, approve or deny, or the fields of its schema. */
export function Answer({ request: { purpose, choices, schema = anyText }, error, send }: AnswerProps) {
  if (purpose !== 'approval' && !choices) return <SchemaForm schema={schema} error={error} send={send} />;
  return (
    <>
      {purpose === 'approval' ? <Approval send={send} /> : <Choices choices={choices ?? []} send={send} />}
      {Boolean(error) && <Failure error={error} />}
    </>
  );
}

function Approval({ send }: { send: Send }) {
  const [reason, setReason] = useState('');
  return (
    <>
      <label className={fields.field}>
        <span className={fields.label}>{words.reason}</span>
        <input className={fields.input} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <div className={styles.actions}>
        <button type="button" className={buttons.primary} onClick={() => send('approve')}>
          {words.approve}
        </button>
        <button
          type="button"
          className={buttons.danger}
          onClick={() => send(reason ? { approved: false, reason } : 'deny')}
        >
          {words.deny}
        </button>
      </div>
    </>
  );
}

const Choices = ({ choices, send }: { choices: readonly string[]; send: Send }) => (
  <div className={styles.actions}>
    {choices.map((choice) => (
      <button key={choice} type="button" className={buttons.button} onClick={() => send(choice)}>
        {choice}
      </button>
    ))}
  </div>
);

interface NeedsProps {
  readonly needs: NonNullable<RunDetail['needs']>;
  /** The run to come back to; without it, the link is that of the service, beside a conversation. */
  readonly run?: string;
}

export function Needs({ needs, run }: NeedsProps) {
  const { may } = useSession();
  // A person's own value, and an account that is connected in the browser, have a page of their own.
  const isHere =
    run !== undefined && needs.connections.every(({ scope, oauth }) => scope === 'organization' && !oauth);
  return (
    <section className={styles.question} aria-label={words.needs}>
      <h2 className={styles.prompt}>{words.needs}</h2>
      <p>{words.needsText}</p>
      <ul>
        {needs.connections.map(({ connection, label, scope }) => (
          <li key={connection}>
            {label && `${label} · `}
            <code>{connection}</code> · {words.scopes[scope]}
          </li>
        ))}
      </ul>
      <div className={styles.actions}>
        {isHere && may('connections:write') ? (
          needs.connections.map(({ connection: name, type, scope, label, hosts }) => (
            <Link
              key={name}
              className={buttons.primary}
              href={formPath({ name, type, scope, label, hosts, run })}
            >
              {words.storeNamed(name)}
            </Link>
          ))
        ) : (
          <a className={buttons.primary} href={needs.configuration_url}>
            {words.store}
          </a>
        )}
      </div>
    </section>
  );
}
