// Cancels a run, after a question.
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import styles from '../parts/dialog.module.css';
import { useSession } from '../shell/session.tsx';
import type { RunDetail } from './queries.ts';
import { words } from './words.ts';

export function CancelButton({ run: { workflow_id, workspaceid } }: { run: RunDetail }) {
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call('cancelRun', { params: { workspace_id: workspaceid, workflow_id } }),
    onSuccess: () => void toasts.add({ title: words.canceled }),
    onError: (error) => void toasts.add({ title: words.cancelFailed, description: error.message }),
    onSettled: async () => {
      setOpen(false);
      await queries.invalidateQueries({ queryKey: ['run', workflow_id] });
    },
  });
  if (!may('assistants.flows:run')) return null;
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger className={buttons.button}>{words.cancel}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>{words.cancelTitle}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{words.cancelText}</AlertDialog.Description>
          <div className={styles.actions}>
            <AlertDialog.Close className={buttons.button}>{words.keep}</AlertDialog.Close>
            <button
              type="button"
              className={buttons.danger}
              disabled={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {words.cancel}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
