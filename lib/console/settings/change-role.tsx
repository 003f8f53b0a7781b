// Changes the roles of a member, as they are when the dialog is opened.
import { Dialog } from '@base-ui/react/dialog';
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, send } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import dialog from '../parts/dialog.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import type { Member, Roles } from './queries.ts';
import { RoleFields, rolePointers } from './roles.tsx';
import { words } from './words.ts';

export function ChangeRole({ member: { userid, name, email } }: { member: Member }) {
  const [isOpen, setOpen] = useState(false);
  const title = words.changeRoleOf(name ?? email);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className={buttons.button} aria-label={title}>
        {words.changeRole}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{title}</Dialog.Title>
          <CurrentRoles userid={userid} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CurrentRoles({ userid, onDone }: { userid: string; onDone: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['member', userid],
    queryFn: async ({ signal }) => {
      const response = await send('getMember', { params: { userid } }, { signal });
      const { roles }: Member = await response.json();
      return { roles, etag: response.headers.get('etag') ?? '*' };
    },
    gcTime: 0,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return data ? <RoleForm key={data.etag} userid={userid} {...data} onDone={onDone} /> : <Loading />;
}

interface RoleFormProps {
  readonly userid: string;
  readonly roles: Roles;
  readonly etag: string;
  readonly onDone: () => void;
}

function RoleForm({ userid, roles: before, etag, onDone }: RoleFormProps) {
  const [roles, setRoles] = useState(before);
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      call('changeMember', { params: { userid }, body: { roles } }, { headers: { 'if-match': etag } }),
    onSuccess: async () => {
      toasts.add({ title: words.saved });
      onDone();
      await queries.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const hasRole = Object.keys(roles).length > 0;
  return (
    <CheckedForm
      isInDialog
      error={change.error}
      pointers={rolePointers(roles)}
      onSubmit={submit}
      actions={
        <>
          <Dialog.Close className={buttons.button}>{words.cancel}</Dialog.Close>
          <button type="submit" className={buttons.primary} disabled={!hasRole || change.isPending}>
            {words.save}
          </button>
        </>
      }
    >
      <RoleFields roles={roles} onChange={setRoles} />
      {!hasRole && <p role="alert">{words.chooseRole}</p>}
    </CheckedForm>
  );
}
