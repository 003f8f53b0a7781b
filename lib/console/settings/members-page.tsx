// The members of the organisation, and the invitations that are open.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CopyButton } from '../parts/copy.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { formatFull } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import tables from '../parts/table.module.css';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { ChangeRole } from './change-role.tsx';
import { InviteButton } from './invite-button.tsx';
import { type Invitation, type Member, useInvitations, useMembers } from './queries.ts';
import { RemoveMember } from './remove-member.tsx';
import { RoleNames } from './roles.tsx';
import styles from './settings.module.css';
import { words } from './words.ts';

export function MembersPage() {
  const { may } = useSession();
  const { data: members, error, isPending, refetch } = useMembers();
  return (
    <Page
      title={words.members}
      lead={words.membersLead}
      aside={may('members:write') ? <InviteButton /> : undefined}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading />}
      {members && (
        <Panel title={words.memberCount(members.length)}>
          {members.length === 0 && (
            <Empty icon="person" title={words.noMembers}>
              {words.noMembersText}
            </Empty>
          )}
          {members.length > 0 && <MemberTable members={members} />}
        </Panel>
      )}
      <Invitations />
    </Page>
  );
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const { may } = useSession();
  const actions = (member: Member) => (
    <>
      <ChangeRole member={member} />
      <RemoveMember member={member} />
    </>
  );
  return (
    <DataTable
      label={words.members}
      items={members}
      columns={columns}
      idOf={({ userid }) => userid}
      actions={may('members:write') ? actions : undefined}
    />
  );
}

const columns: readonly Column<Member>[] = [
  {
    id: 'name',
    title: words.name,
    sortBy: ({ name, email }) => name ?? email,
    cell: (member) => <MemberName member={member} />,
    isHeader: true,
  },
  { id: 'roles', title: words.rolesTitle, cell: ({ roles }) => <RoleNames roles={roles} /> },
  {
    id: 'since',
    title: words.since,
    sortBy: ({ created_at }) => Date.parse(created_at),
    cell: ({ created_at }) => <Ago time={created_at} />,
    isWide: true,
    isSoft: true,
  },
];

function MemberName({ member: { userid, name, email } }: { member: Member }) {
  const { me } = useSession();
  return (
    <>
      {name ?? email}
      {userid === me.id && <span className={styles.mark}>{words.you}</span>}
      {name && <div className={tables.soft}>{email}</div>}
    </>
  );
}

function Invitations() {
  const { data: invitations, error, refetch } = useInvitations();
  return (
    <Panel title={words.invitations}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !invitations && <Loading />}
      {invitations?.length === 0 && <p className={styles.none}>{words.noInvitations}</p>}
      {invitations && invitations.length > 0 && <InvitationTable invitations={invitations} />}
    </Panel>
  );
}

function InvitationTable({ invitations }: { invitations: readonly Invitation[] }) {
  const { may } = useSession();
  const actions = (invitation: Invitation) => (
    <>
      <CopyButton text={invitation.sign_in_url} label={words.signInUrl} />
      <WithdrawButton invitation={invitation} />
    </>
  );
  return (
    <DataTable
      label={words.invitations}
      items={invitations}
      columns={invitationColumns}
      idOf={({ invitationid }) => invitationid}
      actions={may('members:write') ? actions : undefined}
    />
  );
}

const invitationColumns: readonly Column<Invitation>[] = [
  { id: 'email', title: words.email, cell: ({ email }) => email, isHeader: true },
  { id: 'roles', title: words.rolesTitle, cell: ({ roles }) => <RoleNames roles={roles} /> },
  {
    id: 'expires',
    title: words.expires,
    cell: ({ expires_at }) => <time dateTime={expires_at}>{formatFull(expires_at)}</time>,
    isSoft: true,
  },
];

function WithdrawButton({ invitation: { invitationid, email } }: { invitation: Invitation }) {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => call('withdrawInvitation', { params: { invitationid } }),
    onSuccess: () => void toasts.add({ title: words.withdrawn }),
    onError: (error) => void toasts.add({ title: words.withdrawFailed, description: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  return (
    <button
      type="button"
      className={buttons.button}
      aria-label={words.withdrawOf(email)}
      disabled={withdraw.isPending}
      onClick={() => withdraw.mutate()}
    >
      {words.withdraw}
    </button>
  );
}
