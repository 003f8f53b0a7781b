// Who is signed in, and in which workspace they work.
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Permission } from '#lib/access/permission.ts';
import { type CallOutput, call } from '../api/client.ts';
import { isSignedOut } from '../api/problem.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { SignIn } from './sign-in.tsx';
import { words } from './words.ts';

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
  if (isSignedOut(error)) return <SignIn />;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!me) return <Loading label="Signing in" />;
  return <SignedIn me={me}>{children}</SignedIn>;
}

function SignedIn({ me, children }: { me: Session['me']; children: ReactNode }) {
  const [chosen, choose] = useState(() => localStorage.getItem(storageKey));
  const session = useMemo(() => toSession(me, chosen, choose), [me, chosen]);
  if (session.workspaceid === '')
    return (
      <Empty icon="environments" title={words.noWorkspace}>
        {words.noWorkspaceText}
      </Empty>
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
