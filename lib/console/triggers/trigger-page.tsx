// One declared trigger: where it is called, with what, its secret, and when it runs next.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { Fact, Facts } from '../parts/facts.tsx';
import { Failure, Loading, Unread } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { addressOf, type ReadTrigger, useTrigger } from './queries.ts';
import { SchedulePanel } from './schedule-panel.tsx';
import { SecretPanel } from './secret-panel.tsx';
import { environmentLabel, type Trigger, toUpdateBody, type UpdateBody } from './trigger-body.ts';
import { TriggerForm } from './trigger-form.tsx';
import styles from './trigger-page.module.css';
import { words } from './words.ts';

export function TriggerPage() {
  const { trigger: id = '' } = useParams();
  const { data, error, refetch } = useTrigger(id);
  if (error && !data)
    return (
      <Page title={id}>
        <Unread
          error={error}
          onRetry={() => void refetch()}
          icon="triggers"
          title={words.noTrigger}
          text={words.noTriggerText}
          back={{ href: '/triggers', label: words.allTriggers }}
        />
      </Page>
    );
  if (!data) return <Loading />;
  return <ShownTrigger read={data} />;
}

function ShownTrigger({ read }: { read: ReadTrigger }) {
  const { trigger } = read;
  const { may } = useSession();
  const [isEdited, setEdited] = useState(false);
  const mayChange =
    may('assistants.flows:update') && (trigger.kind !== 'schedule' || may('assistants.flows:run'));
  const change = useChange(read);
  const save = (body: UpdateBody) => change.mutate(body, { onSuccess: () => setEdited(false) });
  return (
    <Page
      title={trigger.trigger_id}
      lead={<Lead trigger={trigger} />}
      aside={
        <>
          {mayChange && (
            <button
              type="button"
              className={buttons.button}
              disabled={change.isPending}
              onClick={() => save({ ...toUpdateBody(trigger), enabled: !trigger.enabled })}
            >
              {trigger.enabled ? words.disable : words.enable}
            </button>
          )}
          {mayChange && !isEdited && (
            <button type="button" className={buttons.button} onClick={() => setEdited(true)}>
              {words.edit}
            </button>
          )}
          {may('assistants.flows:delete') && <DeleteButton read={read} />}
        </>
      }
    >
      {change.error && !isEdited && <Failure error={change.error} />}
      {trigger.disabled_reason && (
        <p className={styles.reason} role="status">
          <strong>{words.disabledReason}:</strong> {trigger.disabled_reason}
        </p>
      )}
      {isEdited ? (
        <Panel title={words.edit}>
          <TriggerForm
            kind={trigger.kind}
            trigger={trigger}
            submit={words.change}
            isPending={change.isPending}
            error={change.error}
            onSubmit={save}
            onCancel={() => {
              change.reset();
              setEdited(false);
            }}
          />
        </Panel>
      ) : (
        <>
          {trigger.schedule && <SchedulePanel trigger={trigger} schedule={trigger.schedule} />}
          {trigger.kind !== 'schedule' && <AddressPanel trigger={trigger} />}
          <SettingsPanel trigger={trigger} />
          {trigger.kind === 'webhook' && trigger.source?.type !== 'sns' && <SecretPanel trigger={trigger} />}
        </>
      )}
    </Page>
  );
}

/** Based on the version that is shown: a change of somebody else in between is not overwritten. */
function useChange({ trigger: { trigger_id }, etag }: ReadTrigger) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateBody) =>
      call('updateTrigger', { params: { trigger_id }, body }, { headers: { 'if-match': etag } }),
    onSuccess: () => void toasts.add({ title: words.changed }),
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['trigger', trigger_id] }),
        queries.invalidateQueries({ queryKey: ['triggers'] }),
      ]);
    },
  });
}

function DeleteButton({ read: { trigger, etag } }: { read: ReadTrigger }) {
  const { trigger_id } = trigger;
  const [, navigate] = useLocation();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const done = () => {
    toasts.add({ title: words.removed });
    void queries.invalidateQueries({ queryKey: ['triggers'] });
    navigate('/triggers');
  };
  return (
    <ConfirmButton
      label={words.remove}
      title={words.removeTitle(trigger_id)}
      text={words.removeText}
      action={() => call('deleteTrigger', { params: { trigger_id } }, { headers: { 'if-match': etag } })}
      onDone={done}
    />
  );
}

const Lead = ({ trigger: { kind, flowid, enabled } }: { trigger: Trigger }) => (
  <span className={styles.lead}>
    <Status status={enabled ? 'enabled' : 'disabled'} />
    {words.kinds[kind]} · {flowid} · <Link href={runsOf(flowid)}>{words.lastRuns}</Link>
  </span>
);

const runsOf = (flowid: string) => `/runs?flowid=${encodeURIComponent(flowid)}`;

function AddressPanel({ trigger }: { trigger: Trigger }) {
  const address = addressOf(trigger);
  return (
    <Panel title={words.address}>
      <div className={styles.body}>
        {address === undefined ? (
          <p>{words.addressHidden}</p>
        ) : (
          <CopyText text={address} label={words.theAddress} />
        )}
        <p className={styles.soft}>{words.kindTexts[trigger.kind]}</p>
      </div>
    </Panel>
  );
}

function SettingsPanel({ trigger }: { trigger: Trigger }) {
  const { message, user_variables, callback_url, source, respond, deliver } = trigger;
  const { updated_at, updated_by, kind } = trigger;
  return (
    <Panel title={words.facts}>
      <Facts>
        <Fact name={words.environment}>{environmentLabel(trigger)}</Fact>
        {source && (
          <Fact name={words.source}>
            {words.sources[source.type]}
            {source.events && ` · ${source.events.join(', ')}`}
          </Fact>
        )}
        {kind === 'webhook' && <Fact name={words.respond}>{words.responds[respond ?? 'accepted']}</Fact>}
        {deliver && (
          <Fact name={words.deliver}>
            {deliver.event} <code>{deliver.key}</code>
          </Fact>
        )}
        <Fact name={words.message}>{message ?? words.noValue}</Fact>
        <Fact name={words.variables}>
          {user_variables ? (
            <pre className={styles.json}>{JSON.stringify(user_variables, undefined, 2)}</pre>
          ) : (
            words.noValue
          )}
        </Fact>
        {callback_url !== undefined && <Fact name={words.callback}>{callback_url}</Fact>}
        <Fact name={words.updated}>
          <Ago time={updated_at} /> · <code>{updated_by}</code>
        </Fact>
      </Facts>
    </Panel>
  );
}
