// The members of the organisation, and the invitations that are open.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CopyButton } from '../parts/copy.tsx';
import { formatFull } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
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
          <ul aria-label={words.members}>
            {members.map((member) => (
              <MemberRow key={member.userid} member={member} />
            ))}
          </ul>
        </Panel>
      )}
      <Invitations />
    </Page>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { me, may } = useSession();
  const { userid, name, email, roles, created_at } = member;
  return (
    <li className={styles.row}>
      <div className={styles.main}>
        <p>
          <strong>{name ?? email}</strong>
          {userid === me.id && <span className={styles.mark}>{words.you}</span>}
        </p>
        <p className={styles.soft}>
          {name && `${email} · `}
          {words.since} <Ago time={created_at} />
        </p>
      </div>
      <p className={styles.roles}>
        <RoleNames roles={roles} />
      </p>
      {may('members:write') && (
        <div className={styles.actions}>
          <ChangeRole member={member} />
          <RemoveMember member={member} />
        </div>
      )}
    </li>
  );
}

function Invitations() {
  const { data: invitations, error, refetch } = useInvitations();
  return (
    <Panel title={words.invitations}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !invitations && <Loading />}
      {invitations?.length === 0 && <p className={styles.none}>{words.noInvitations}</p>}
      <ul aria-label={words.invitations}>
        {invitations?.map((invitation) => (
          <InvitationRow key={invitation.invitationid} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { invitationid, email, roles, expires_at, sign_in_url } = invitation;
  const { may } = useSession();
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => call('withdrawInvitation', { params: { invitationid } }),
    onSuccess: () => void toasts.add({ title: words.withdrawn }),
    onError: (error) => void toasts.add({ title: words.withdrawFailed, description: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  return (
    <li className={styles.row}>
      <div className={styles.main}>
        <p>
          <strong>{email}</strong>
        </p>
        <p className={styles.soft}>
          {words.expires} <time dateTime={expires_at}>{formatFull(expires_at)}</time>
        </p>
      </div>
      <p className={styles.roles}>
        <RoleNames roles={roles} />
      </p>
      {may('members:write') && (
        <div className={styles.actions}>
          <CopyButton text={sign_in_url} label={words.signInUrl} />
          <button
            type="button"
            className={buttons.button}
            aria-label={words.withdrawOf(email)}
            disabled={withdraw.isPending}
            onClick={() => withdraw.mutate()}
          >
            {words.withdraw}
          </button>
        </div>
      )}
    </li>
  );
}
