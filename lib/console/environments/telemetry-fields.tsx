// Where the runs of an environment are exported to: the fields of its form, the last state that is known, and a button that
// sends a test span.
import { useMutation } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import { type CallInput, type CallOutput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import type { FieldPointers } from '../parts/field-errors.ts';
import { FieldGroup, SelectField, TextField } from '../parts/form.tsx';
import { formatDuration } from '../parts/format.ts';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import own from './environments-page.module.css';
import type { EnvironmentName, Settings } from './queries.ts';
import { words } from './words.ts';

export type Sink = NonNullable<CallInput<'setEnvironment'>['body']['telemetry']>;

/** Of a save and of a test span: both send the sink under the same names. */
export const sinkPointers: FieldPointers = {
  endpoint: '/body/telemetry/endpoint',
  encoding: '/body/telemetry/encoding',
  connection: '/body/telemetry/connection',
  content: '/body/telemetry/content',
};

/** Undefined without an endpoint: nothing is exported. What the API has by default is left out. */
export function readSink(form: FormData): Sink | undefined {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const endpoint = text('endpoint');
  const connection = text('connection');
  if (endpoint === '') return undefined;
  return {
    endpoint,
    ...(connection !== '' && { connection }),
    ...(text('encoding') === 'protobuf' && { encoding: 'protobuf' as const }),
    ...(text('content') === 'full' && { content: 'full' as const }),
  };
}

export function useTry(environment: EnvironmentName) {
  const { workspaceid } = useSession();
  return useMutation({
    mutationFn: (telemetry: Sink) =>
      call('tryTelemetry', { params: { environment }, query: { workspaceid }, body: { telemetry } }),
  });
}

interface TelemetryFieldsProps {
  readonly settings: Settings | undefined;
  readonly attempt: ReturnType<typeof useTry>;
  /** With what the fields say now; undefined without an endpoint. */
  readonly onTry: (sink: Sink | undefined) => void;
}

export function TelemetryFields({ settings, attempt, onTry }: TelemetryFieldsProps) {
  const { may } = useSession();
  const sink = settings?.telemetry;
  const send = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) =>
    onTry(form ? readSink(new FormData(form)) : undefined);
  return (
    <FieldGroup title={words.telemetry}>
      <p className={fields.hint}>{words.telemetryText}</p>
      <TextField
        label={words.endpoint}
        hint={words.endpointHint}
        name="endpoint"
        value={sink?.endpoint}
        placeholder="https://phoenix.example.com/v1/traces"
      />
      <SelectField
        label={words.encoding}
        hint={words.encodingHint}
        name="encoding"
        value={sink?.encoding ?? 'json'}
        options={[
          ['json', 'JSON'],
          ['protobuf', 'Protocol Buffers'],
        ]}
      />
      <TextField
        label={words.connection}
        hint={words.connectionHint}
        name="connection"
        value={sink?.connection}
      />
      <p>
        <Link href="/connections">{words.connections}</Link>
      </p>
      <SelectField
        label={words.content}
        hint={words.contentHint}
        name="content"
        value={sink?.content ?? 'off'}
        options={[
          ['off', words.contents.off],
          ['full', words.contents.full],
        ]}
      />
      {settings?.telemetry_state && <SinkState {...settings.telemetry_state} />}
      {may('assistants.flows:update') ? (
        <div>
          <button type="button" className={buttons.button} disabled={attempt.isPending} onClick={send}>
            {words.tryTelemetry}
          </button>
        </div>
      ) : (
        <p className={fields.hint}>{words.mayNotSet}</p>
      )}
      <div role="status">{attempt.data && <Answer {...attempt.data} />}</div>
    </FieldGroup>
  );
}

function SinkState({
  last_exported_at,
  last_error,
  dropped_runs,
  rejected_spans,
}: NonNullable<Settings['telemetry_state']>) {
  return (
    <div>
      <p className={own.soft}>
        {words.lastExport} {last_exported_at ? <Ago time={last_exported_at} /> : words.never}
      </p>
      {last_error && (
        <p>
          {words.lastError} <Ago time={last_error.at} />: <code>{last_error.reason}</code> {last_error.detail}
        </p>
      )}
      {dropped_runs + rejected_spans > 0 && <p>{words.lost(dropped_runs, rejected_spans)}</p>}
    </div>
  );
}

function Answer({
  host,
  accepted,
  status,
  answer,
  error,
  trace_id,
  duration_ms,
}: CallOutput<'tryTelemetry'>) {
  if (status === undefined)
    return (
      <p>
        {words.notSent} {error?.message} (<code>{error?.code}</code>)
      </p>
    );
  return (
    <>
      <p>
        {accepted ? words.taken : words.notTaken} {words.answered(host, status, formatDuration(duration_ms))}
      </p>
      <p className={own.answer}>{accepted ? words.trace(trace_id) : answer}</p>
    </>
  );
}
