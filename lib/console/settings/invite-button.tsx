// Invites a person, and shows the address at which they sign in.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CopyBlock } from '../parts/copy.tsx';
import dialog from '../parts/dialog.module.css';
import fields from '../parts/field.module.css';
import { Failure } from '../parts/list-state.tsx';
import { useSession } from '../shell/session.tsx';
import type { Invitation, Roles } from './queries.ts';
import { RoleFields } from './roles.tsx';
import { words } from './words.ts';

export function InviteButton() {
  const [isOpen, setOpen] = useState(false);
  const [invited, setInvited] = useState<Invitation>();
  const change = (next: boolean) => {
    setInvited(undefined);
    setOpen(next);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={change}>
      <Dialog.Trigger className={buttons.primary}>{words.invite}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{invited ? words.invited : words.inviteTitle}</Dialog.Title>
          {invited ? <Invited invitation={invited} /> : <InviteForm onInvited={setInvited} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function InviteForm({ onInvited }: { onInvited: (invitation: Invitation) => void }) {
  const { me, workspaceid } = useSession();
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<Roles>(
    me.workspaces === '*' ? { '*': 'viewer' } : { [workspaceid]: 'viewer' },
  );
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: () => call('inviteMember', { body: { email, roles } }),
    onSuccess: async (invitation) => {
      onInvited(invitation);
      await queries.invalidateQueries({ queryKey: ['invitations'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <form onSubmit={submit} className={dialog.form}>
      <label className={fields.field}>
        <span className={fields.label}>{words.email}</span>
        <input
          className={fields.input}
          type="email"
          autoComplete="off"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </label>
      <RoleFields roles={roles} onChange={setRoles} />
      {invite.error && <Failure error={invite.error} />}
      <div className={dialog.actions}>
        <Dialog.Close className={buttons.button}>{words.cancel}</Dialog.Close>
        <button
          type="submit"
          className={buttons.primary}
          disabled={Object.keys(roles).length === 0 || invite.isPending}
        >
          {words.invite}
        </button>
      </div>
    </form>
  );
}

const Invited = ({ invitation: { sign_in_url } }: { invitation: Invitation }) => (
  <>
    <p className={dialog.text}>{words.invitedText}</p>
    <CopyBlock text={sign_in_url} label={words.signInUrl} />
    <div className={dialog.actions}>
      <Dialog.Close className={buttons.primary}>{words.done}</Dialog.Close>
    </div>
  </>
);
