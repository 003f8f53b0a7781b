// The sessions of the person who is signed in.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type CallOutput, call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { readBrowser } from './browser-name.ts';
import styles from './settings.module.css';
import { words } from './words.ts';

type Session = CallOutput<'listSessions'>['items'][number];

export function SessionsPage() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call('listSessions', {}, { signal }),
  });
  const sessions = data?.items ?? [];
  const others = sessions.filter(({ is_current }) => !is_current);
  const end = useEnd(words.othersEnded);
  return (
    <Page title={words.sessions} lead={words.sessionsLead}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading />}
      {data && (
        <Panel
          title={words.sessions}
          aside={
            others.length > 1 && (
              <button
                type="button"
                className={buttons.button}
                disabled={end.isPending}
                onClick={() => end.mutate(others)}
              >
                {words.endOthers}
              </button>
            )
          }
        >
          <ul aria-label={words.sessions}>
            {sessions.map((session) => (
              <SessionRow key={session.sessionid} session={session} />
            ))}
          </ul>
          {others.length === 0 && <p className={styles.none}>{words.noSessions}</p>}
        </Panel>
      )}
    </Page>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { user_agent, orgid, created_at, last_used_at, is_current } = session;
  const end = useEnd(words.ended);
  return (
    <li className={styles.row}>
      <div className={styles.main}>
        <p>
          <strong>{user_agent === undefined ? words.unknownDevice : readBrowser(user_agent)}</strong>
          {is_current && <span className={styles.mark}>{words.thisSession}</span>}
        </p>
        <p className={styles.soft}>
          {words.signedIn} <Ago time={created_at} />, {words.lastUsed} <Ago time={last_used_at} />
        </p>
      </div>
      <p className={styles.roles}>
        <code>{orgid}</code>
      </p>
      {!is_current && (
        <div className={styles.actions}>
          <button
            type="button"
            className={buttons.button}
            disabled={end.isPending}
            onClick={() => end.mutate([session])}
          >
            {words.end}
          </button>
        </div>
      )}
    </li>
  );
}

function useEnd(done: string) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (sessions: readonly Session[]) => {
      for (const { sessionid } of sessions) await call('endSession', { params: { sessionid } });
    },
    onSuccess: () => void toasts.add({ title: done }),
    onError: (error) => void toasts.add({ title: words.endFailed, description: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
}
