// Changes the variables, the pinned builds and the telemetry of one environment.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { pointerTo } from '#lib/json/pointer.ts';
import { type CallInput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import fields from '../parts/field.module.css';
import type { FieldPointers } from '../parts/field-errors.ts';
import { FieldGroup, SelectField } from '../parts/form.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { useSession } from '../shell/session.tsx';
import own from './environments-page.module.css';
import { fieldOf, findRepeated, type PairRow, PairRows, toPairRows, toRecord } from './pair-rows.tsx';
import {
  defaultOf,
  type EnvironmentName,
  isEnvironment,
  keepChoices,
  type ReadEnvironment,
  useEnvironment,
} from './queries.ts';
import { readSink, type Sink, sinkPointers, TelemetryFields, useTry } from './telemetry-fields.tsx';
import { words } from './words.ts';

export function EnvironmentPage() {
  const { environment = '' } = useParams();
  return isEnvironment(environment) ? (
    <KnownEnvironment name={environment} />
  ) : (
    <NotFound title={words.noEnvironment} back={back} />
  );
}

const back = { href: '/environments', label: words.allEnvironments };

function KnownEnvironment({ name }: { name: EnvironmentName }) {
  const { data, error, refetch } = useEnvironment(name);
  if (error)
    return (
      <Page title={words.title(name)}>
        <Failure error={error} onRetry={() => void refetch()} back={back} />
      </Page>
    );
  if (!data) return <Loading />;
  return (
    <Page title={words.title(name)} lead={words.texts[name]} aside={<ClearButton name={name} read={data} />}>
      <EnvironmentForm key={data.etag ?? ''} name={name} read={data} onReload={() => void refetch()} />
    </Page>
  );
}

interface EnvironmentFormProps {
  readonly name: EnvironmentName;
  readonly read: ReadEnvironment;
  readonly onReload: () => void;
}

function EnvironmentForm({ name, read: { settings, etag }, onReload }: EnvironmentFormProps) {
  const { workspaceid, may } = useSession();
  const [, navigate] = useLocation();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const [env, setEnv] = useState<readonly PairRow[]>(() => toPairRows(settings?.env));
  const [pins, setPins] = useState<readonly PairRow[]>(() => toPairRows(settings?.pins));
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const attempt = useTry(name);
  const save = useMutation({
    mutationFn: (body: NewSettings) =>
      call(
        'setEnvironment',
        { params: { environment: name }, query: { workspaceid }, body },
        { headers: etag === undefined ? {} : { 'if-match': etag } },
      ),
    onSuccess: async () => {
      toasts.add({ title: words.saved });
      await queries.invalidateQueries({ queryKey: ['environments'] });
      navigate('/environments');
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const keep_values = readKeepValues(form.get('keep_values'));
    const telemetry = readSink(form);
    attempt.reset();
    const repeated = findMistakes({ env, pins });
    setMistakes(repeated);
    if (repeated.size === 0)
      save.mutate({
        env: toRecord(env),
        pins: toRecord(pins),
        ...(keep_values && { keep_values }),
        ...(telemetry && { telemetry }),
      });
  };
  const tryTelemetry = (sink: Sink | undefined) => {
    save.reset();
    setMistakes(sink ? undefined : new Map([['endpoint', words.endpointMissing]]));
    if (sink) attempt.mutate(sink);
  };
  const isConflict = save.error instanceof ApiError && save.error.problem.status === 412;
  return (
    <Panel title={name}>
      <CheckedForm
        error={isConflict ? null : (save.error ?? attempt.error)}
        pointers={pointersOf({ env, pins })}
        own={mistakes}
        onSubmit={submit}
        actions={
          <>
            {may('assistants.flows:update') && (
              <button type="submit" className={buttons.primary} disabled={save.isPending}>
                {words.save}
              </button>
            )}
            <button type="button" className={buttons.button} onClick={() => navigate('/environments')}>
              {words.cancel}
            </button>
          </>
        }
      >
        <FieldGroup title={words.variables}>
          <p className={fields.hint}>{words.notSecret}</p>
          <PairRows
            name="env"
            rows={env}
            onChange={setEnv}
            labels={{ key: words.variable, value: words.value, add: words.addVariable }}
          />
        </FieldGroup>
        {name !== 'live' && (
          <FieldGroup title={words.pins}>
            <PairRows
              name="pins"
              rows={pins}
              onChange={setPins}
              labels={{ key: words.flow, value: words.build, add: words.addPin }}
            />
          </FieldGroup>
        )}
        <SelectField
          label={words.keepValues}
          hint={words.keepValuesHint}
          name="keep_values"
          value={settings?.keep_values ?? ''}
          options={[['', words.keepValuesDefault(words.kept[defaultOf(name)])], ...keepOptions]}
        />
        <TelemetryFields settings={settings} attempt={attempt} onTry={tryTelemetry} />
        {isConflict && (
          <div className={own.conflict} role="alert">
            <p>
              <strong>{words.conflict}</strong>
              {words.conflictText}
            </p>
            <button type="button" className={buttons.button} onClick={onReload}>
              {words.reload}
            </button>
          </div>
        )}
      </CheckedForm>
    </Panel>
  );
}

type Pairs = Readonly<Record<'env' | 'pins', readonly PairRow[]>>;

/** A member of an object has its name in its pointer (RFC 6901). */
function pointersOf(pairs: Pairs): FieldPointers {
  const ofRows = Object.entries(pairs).flatMap(([name, rows]) =>
    rows.map((row) => [fieldOf(name, row), pointerTo(['body', name, row.key.trim()])] as const),
  );
  return { keep_values: '/body/keep_values', ...sinkPointers, ...Object.fromEntries(ofRows) };
}

const findMistakes = (pairs: Pairs): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(pairs).flatMap(([name, rows]) =>
      findRepeated(rows).map((row) => [fieldOf(name, row), words.twice] as const),
    ),
  );

type NewSettings = CallInput<'setEnvironment'>['body'];

const keepOptions = keepChoices.map((choice) => [choice, words.kept[choice]] as const);

/** Undefined for the default. */
const readKeepValues = (text: unknown) => keepChoices.find((choice) => choice === text);

function ClearButton({ name, read: { settings, etag } }: Pick<EnvironmentFormProps, 'name' | 'read'>) {
  const { workspaceid, may } = useSession();
  const [, navigate] = useLocation();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  if (!settings || !may('assistants.flows:delete')) return null;
  return (
    <ConfirmButton
      label={words.clear}
      title={words.clearTitle(name)}
      text={words.clearText}
      action={() =>
        call(
          'deleteEnvironment',
          { params: { environment: name }, query: { workspaceid } },
          { headers: etag === undefined ? {} : { 'if-match': etag } },
        )
      }
      onDone={() => {
        toasts.add({ title: words.cleared });
        void queries.invalidateQueries({ queryKey: ['environments'] });
        navigate('/environments');
      }}
    />
  );
}
