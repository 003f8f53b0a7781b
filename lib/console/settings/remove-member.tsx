// Removes a member, after a question. The dialog stays open with the error if that is refused.
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import { Failure } from '../parts/list-state.tsx';
import type { Member } from './queries.ts';
import { words } from './words.ts';

export function RemoveMember({ member: { userid, name, email } }: { member: Member }) {
  const [isOpen, setOpen] = useState(false);
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('removeMember', { params: { userid } }),
    onSuccess: async () => {
      toasts.add({ title: words.removed });
      setOpen(false);
      await queries.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const change = (next: boolean) => {
    remove.reset();
    setOpen(next);
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={change}>
      <AlertDialog.Trigger className={buttons.button} aria-label={words.removeOf(name ?? email)}>
        {words.remove}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialog.backdrop} />
        <AlertDialog.Popup className={dialog.popup}>
          <AlertDialog.Title className={dialog.title}>{words.removeTitle(name ?? email)}</AlertDialog.Title>
          <AlertDialog.Description className={dialog.text}>{words.removeText}</AlertDialog.Description>
          {remove.error && <Failure error={remove.error} />}
          <div className={dialog.actions}>
            <AlertDialog.Close className={buttons.button}>{words.cancel}</AlertDialog.Close>
            <button
              type="button"
              className={buttons.danger}
              disabled={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {words.remove}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
