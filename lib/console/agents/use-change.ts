// Sends a promotion or a rollback with the version that was seen. If somebody else was faster, the page is read again.
import { Toast } from '@base-ui/react/toast';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../api/problem.ts';
import type { Seen } from './changed-meanwhile.tsx';
import { words } from './words.ts';

interface Change {
  readonly send: () => Promise<unknown>;
  readonly done: string;
  readonly seen: Seen;
  /** Reads everything again; `before` is given if the change was refused. */
  readonly onDone: (before: Seen | undefined) => Promise<void>;
}

export function useChange({ send, done, seen, onDone }: Change) {
  const toasts = Toast.useToastManager();
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      toasts.add({ title: done });
      await onDone(undefined);
    },
    onError: async (error) => {
      if (wasTooLate(error)) await onDone(seen);
      else toasts.add({ title: words.notDone, description: error.message });
    },
  });
}

const wasTooLate = (error: unknown): boolean =>
  error instanceof ApiError && (error.problem.status === 409 || error.problem.status === 412);
