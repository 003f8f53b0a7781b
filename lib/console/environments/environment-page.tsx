// Changes the variables and the pinned builds of one environment.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { type CallInput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import fields from '../parts/field.module.css';
import styles from '../parts/form.module.css';
import { FieldGroup, SelectField } from '../parts/form.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { useSession } from '../shell/session.tsx';
import own from './environments-page.module.css';
import { type PairRow, PairRows, toPairRows, toRecord } from './pair-rows.tsx';
import {
  defaultOf,
  type EnvironmentName,
  isEnvironment,
  keepChoices,
  type ReadEnvironment,
  useEnvironment,
} from './queries.ts';
import { words } from './words.ts';

export function EnvironmentPage() {
  const { environment = '' } = useParams();
  return isEnvironment(environment) ? <KnownEnvironment name={environment} /> : <NotFound />;
}

function KnownEnvironment({ name }: { name: EnvironmentName }) {
  const { data, error, refetch } = useEnvironment(name);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
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
  const [isTwice, setTwice] = useState(false);
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
    const body = { env: toRecord(env), pins: toRecord(pins) };
    const keep_values = readKeepValues(new FormData(event.currentTarget).get('keep_values'));
    setTwice(!body.env || !body.pins);
    if (body.env && body.pins)
      save.mutate({ env: body.env, pins: body.pins, ...(keep_values && { keep_values }) });
  };
  const isConflict = save.error instanceof ApiError && save.error.problem.status === 412;
  return (
    <Panel title={name}>
      <form className={styles.form} onSubmit={submit}>
        <FieldGroup title={words.variables}>
          <p className={fields.hint}>{words.notSecret}</p>
          <PairRows
            rows={env}
            onChange={setEnv}
            labels={{ key: words.variable, value: words.value, add: words.addVariable }}
          />
        </FieldGroup>
        {name !== 'live' && (
          <FieldGroup title={words.pins}>
            <PairRows
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
        {isTwice && (
          <p className={fields.error} role="alert">
            {words.twice}
          </p>
        )}
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
        {save.error && !isConflict && <Failure error={save.error} />}
        <div className={styles.actions}>
          {may('assistants.flows:update') && (
            <button type="submit" className={buttons.primary} disabled={save.isPending}>
              {words.save}
            </button>
          )}
          <button type="button" className={buttons.button} onClick={() => navigate('/environments')}>
            {words.cancel}
          </button>
        </div>
      </form>
    </Panel>
  );
}

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
