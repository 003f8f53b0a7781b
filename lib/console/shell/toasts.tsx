// Short messages about what a person has just done.
import { Toast } from '@base-ui/react/toast';
import styles from './toasts.module.css';

export function Toasts() {
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport className={styles.viewport}>
        {toasts.map((toast) => (
          <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
            <Toast.Title className={styles.title} />
            <Toast.Description className={styles.description} />
            <Toast.Close className={styles.close} aria-label="Close">
              ×
            </Toast.Close>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}
