// What a run asks, and the form of the answer: the choices of the question, approve or deny, or what its schema says.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { formPath } from '../parts/connection-path.ts';
import fields from '../parts/field.module.css';
import { Failure } from '../parts/list-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './answer-form.module.css';
import { readAnswer } from './answer-value.ts';
import type { RunDetail } from './queries.ts';
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
          <Answer request={request} send={send} />
        </fieldset>
      )}
      {resume.error && <Failure error={resume.error} />}
    </section>
  );
}

/** The choices of the question, approve or deny, or a field. */
export function Answer({ request, send }: { request: Request; send: Send }) {
  if (request.purpose === 'approval') return <Approval send={send} />;
  if (request.choices) return <Choices choices={request.choices} send={send} />;
  return <Value schema={request.schema} send={send} />;
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

/** Text, or JSON where the schema wants more than text. The service checks it. */
function Value({ schema, send }: { schema: Request['schema']; send: Send }) {
  const [isMistaken, setMistaken] = useState(false);
  const isText = schema === undefined || schema.type === 'string';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const answer = readAnswer(String(new FormData(event.currentTarget).get('answer') ?? ''), isText);
    setMistaken(answer === undefined);
    if (answer !== undefined) send(answer);
  };
  return (
    <form className={styles.fields} onSubmit={submit}>
      <label className={fields.field}>
        <span className={fields.label}>{isText ? words.answer : words.jsonAnswer}</span>
        <textarea name="answer" className={fields.input} required aria-invalid={isMistaken} />
      </label>
      {!isText && <pre className={styles.detail}>{JSON.stringify(schema, undefined, 2)}</pre>}
      {isMistaken && (
        <p className={fields.error} role="alert">
          {words.notJson}
        </p>
      )}
      <div className={styles.actions}>
        <button type="submit" className={buttons.primary}>
          {words.send}
        </button>
      </div>
    </form>
  );
}

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
