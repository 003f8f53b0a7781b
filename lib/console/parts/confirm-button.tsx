// A button for what cannot be undone: it asks first.
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import buttons from './button.module.css';
import styles from './dialog.module.css';
import { Failure } from './list-state.tsx';
import { words } from './words.ts';

interface ConfirmButtonProps {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  /** A failure stays in the dialog. */
  readonly action: () => Promise<unknown>;
  readonly onDone: () => void;
  /** What the button is for, where several have the same label. */
  readonly of?: string;
}

export function ConfirmButton({ label, title, text, action, onDone, of }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: action,
    onSuccess: () => {
      setOpen(false);
      onDone();
    },
  });
  const change = (next: boolean) => {
    reset();
    setOpen(next);
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={change}>
      <AlertDialog.Trigger className={buttons.danger} aria-label={of && `${label} ${of}`}>
        {label}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{text}</AlertDialog.Description>
          {error && <Failure error={error} />}
          <div className={styles.actions}>
            <AlertDialog.Close className={buttons.button}>{words.back}</AlertDialog.Close>
            <button type="button" className={buttons.danger} disabled={isPending} onClick={() => mutate()}>
              {label}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
