// Invites a person, and shows the address at which they sign in.
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { CopyBlock } from '../parts/copy.tsx';
import dialog from '../parts/dialog.module.css';
import { TextField } from '../parts/form.tsx';
import { useSession } from '../shell/session.tsx';
import type { Invitation, Roles } from './queries.ts';
import { RoleFields, rolePointers } from './roles.tsx';
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
  const [roles, setRoles] = useState<Roles>(
    me.workspaces === '*' ? { '*': 'viewer' } : { [workspaceid]: 'viewer' },
  );
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: (email: string) => call('inviteMember', { body: { email, roles } }),
    onSuccess: async (invitation) => {
      onInvited(invitation);
      await queries.invalidateQueries({ queryKey: ['invitations'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    invite.mutate(String(new FormData(event.currentTarget).get('email') ?? '').trim());
  };
  return (
    <CheckedForm
      isInDialog
      error={invite.error}
      pointers={{ email: '/body/email', ...rolePointers(roles) }}
      onSubmit={submit}
      actions={
        <>
          <Dialog.Close className={buttons.button}>{words.cancel}</Dialog.Close>
          <button
            type="submit"
            className={buttons.primary}
            disabled={Object.keys(roles).length === 0 || invite.isPending}
          >
            {words.invite}
          </button>
        </>
      }
    >
      <TextField label={words.email} name="email" type="email" isRequired />
      <RoleFields roles={roles} onChange={setRoles} />
    </CheckedForm>
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
