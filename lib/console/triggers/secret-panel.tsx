// The signing secret of a webhook: whether there is one, and a new one, which is shown once.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { TextField } from '../parts/form.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import type { Trigger } from './trigger-body.ts';
import styles from './trigger-page.module.css';
import { words } from './words.ts';

export function SecretPanel({ trigger }: { trigger: Trigger }) {
  const { trigger_id, flowid, workspaceid, source } = trigger;
  const { may } = useSession();
  // Without a source, the events are signed with the secret of the flow.
  const key = { params: { flow_id: source ? trigger_id : flowid }, query: { workspaceid } };
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['webhook-secret', key],
    queryFn: async ({ signal }) => {
      try {
        return (await call('getWebhookSecret', key, { signal })).secrets;
      } catch (cause) {
        if (cause instanceof ApiError && cause.problem.code === 'signing_secret_not_found') return [];
        throw cause;
      }
    },
  });
  return (
    <Panel title={words.secret}>
      <div className={styles.body}>
        <p className={styles.soft}>{source ? words.secretText : words.flowSecretText(flowid)}</p>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading />}
        {data?.length === 0 && (
          <p>
            {words.noSecret} {source ? words.noSecretSource : words.noSecretFlow}
          </p>
        )}
        <ul className={styles.times}>
          {data?.map(({ created_at, expires_at }) => (
            <li key={created_at}>
              {words.secretSince} <Ago time={created_at} />
              {expires_at && (
                <span className={styles.soft}>
                  {words.secretUntil} {expires_at}
                </span>
              )}
            </li>
          ))}
        </ul>
        {may('assistants.flows:update') && (
          <NewSecret trigger={trigger} secretKey={key} has={data?.length !== 0} />
        )}
      </div>
    </Panel>
  );
}

interface NewSecretProps {
  readonly trigger: Trigger;
  readonly secretKey: { readonly params: { flow_id: string }; readonly query: { workspaceid: string } };
  readonly has: boolean;
}

function NewSecret({ trigger: { source }, secretKey: key, has }: NewSecretProps) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const [made, setMade] = useState<string>();
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhook-secret'] });
  const set = useMutation({
    mutationFn: (secret: string | undefined) =>
      call('setWebhookSecret', { ...key, body: secret === undefined ? {} : { secret } }),
    onSuccess: ({ secret }) => {
      setMade(secret);
      toasts.add({ title: words.secretSet });
      refresh();
    },
  });
  const store = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    set.mutate(String(new FormData(form).get('secret')), { onSuccess: () => form.reset() });
  };
  return (
    <>
      {made !== undefined && (
        <div className={styles.secret} role="status">
          <strong>{words.shownOnce}</strong>
          <CopyText text={made} label={words.theSecret} />
        </div>
      )}
      {set.error && <Failure error={set.error} />}
      <div className={styles.actions}>
        <button
          type="button"
          className={buttons.button}
          disabled={set.isPending}
          onClick={() => set.mutate(undefined)}
        >
          {words.makeSecret}
        </button>
        {has && (
          <ConfirmButton
            label={words.removeSecret}
            title={words.removeSecretTitle}
            text={words.removeSecretText}
            action={() => call('deleteWebhookSecret', key)}
            onDone={() => {
              setMade(undefined);
              refresh();
            }}
          />
        )}
      </div>
      {source && (
        <form className={styles.own} onSubmit={store}>
          <TextField
            label={words.ownSecret}
            name="secret"
            type="password"
            hint={words.ownSecretHint}
            isRequired
          />
          <button type="submit" className={buttons.button} disabled={set.isPending}>
            {words.setSecret}
          </button>
        </form>
      )}
    </>
  );
}
