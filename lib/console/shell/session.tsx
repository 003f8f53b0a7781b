// Who is signed in, and in which workspace they work.
import { useQuery } from '@tanstack/react-query';
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Permission } from '#lib/access/permission.ts';
import { type CallOutput, call } from '../api/client.ts';
import { isSignedOut } from '../api/problem.ts';
import { Failure, Loading } from '../parts/list-state.tsx';
import styles from './session.module.css';
import { SignIn } from './sign-in.tsx';

interface Session {
  readonly me: CallOutput<'getMe'>;
  readonly workspaceid: string;
  readonly workspaces: readonly { readonly id: string; readonly name: string }[];
  readonly chooseWorkspace: (id: string) => void;
  /** Whether the person may do it in the chosen workspace. */
  readonly may: (permission: Permission) => boolean;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is signed in.');
  return session;
}

const storageKey = 'agent-flow-workspace';

export function SessionGate({ children }: { children: ReactNode }) {
  const {
    data: me,
    error,
    refetch,
  } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => call('getMe', {}, { signal }),
    staleTime: 60_000,
  });
  useReloadForAnother(me);
  // What was read once stays on the page when it cannot be read again, because people may be in the middle of a form.
  if (!me && isSignedOut(error)) return <SignIn />;
  if (!me && error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!me) return <Loading label="Signing in" />;
  return (
    <>
      {isSignedOut(error) && (
        <div className={styles.ended}>
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <SignedIn me={me} onChanged={refetch}>
        {children}
      </SignedIn>
    </>
  );
}

/** Somebody else has signed in in another tab: nothing that was read for the one before is left. */
function useReloadForAnother(me: Session['me'] | undefined): void {
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (!me) return;
    const now = `${me.orgid} ${me.id}`;
    if (before.current !== undefined && before.current !== now) location.reload();
    before.current = now;
  }, [me]);
}

/** Few people see it, and only once. */
const FirstWorkspace = lazy(async () => ({
  default: (await import('./first-workspace.tsx')).FirstWorkspace,
}));

interface SignedInProps {
  readonly me: Session['me'];
  readonly onChanged: () => Promise<unknown>;
  readonly children: ReactNode;
}

function SignedIn({ me, onChanged, children }: SignedInProps) {
  const [chosen, choose] = useState(() => localStorage.getItem(storageKey));
  const session = useMemo(() => toSession(me, chosen, choose), [me, chosen]);
  if (session.workspaceid === '')
    return (
      <Suspense fallback={<Loading />}>
        <FirstWorkspace me={me} onCreated={onChanged} />
      </Suspense>
    );
  return <SessionContext value={session}>{children}</SessionContext>;
}

function toSession(me: Session['me'], chosen: string | null, choose: (id: string) => void): Session {
  const ids = me.workspaces === '*' ? Object.keys(me.workspace_names) : me.workspaces;
  const workspaces = ids.map((id) => ({ id, name: me.workspace_names[id] ?? id }));
  const workspaceid = ids.find((id) => id === chosen) ?? ids[0] ?? '';
  const permissions = new Set(me.workspace_permissions?.[workspaceid] ?? me.permissions);
  return {
    me,
    workspaceid,
    workspaces,
    may: (permission) => permissions.has(permission),
    chooseWorkspace: (id) => {
      localStorage.setItem(storageKey, id);
      choose(id);
    },
  };
}
