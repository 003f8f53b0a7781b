// Redrives or dismisses all dead letters of a reason, also those that the page has not loaded.
import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Failure } from '../parts/list-state.tsx';
import { useSession } from '../shell/session.tsx';
import { words } from './words.ts';

interface AllOfReasonProps {
  readonly reason: string;
  /** Of this flow only. */
  readonly flowid: string | undefined;
}

export function AllOfReason(filter: AllOfReasonProps) {
  const { may } = useSession();
  const act = useAll(filter);
  const toasts = Toast.useToastManager();
  const redrive = useMutation({
    mutationFn: () => act('redriveDeadLetters'),
    onSuccess: (count) => toasts.add({ title: count > 0 ? words.redriveDone(count) : words.alreadyQueued }),
  });
  return (
    <>
      {redrive.error && <Failure error={redrive.error} onRetry={() => redrive.mutate()} />}
      {may('assistants.flows:run') && (
        <button
          type="button"
          className={buttons.button}
          aria-label={words.redriveAllOf(filter.reason)}
          disabled={redrive.isPending}
          onClick={() => redrive.mutate()}
        >
          {words.redriveAll}
        </button>
      )}
      {may('assistants.flows:delete') && (
        <ConfirmButton
          label={words.dismissAll}
          of={filter.reason}
          title={words.dismissAllTitle}
          text={words.dismissChosenText}
          action={() => act('dismissDeadLetters')}
          onDone={() => toasts.add({ title: words.allDismissed })}
        />
      )}
    </>
  );
}

/** Request by request, until none is left that has failed before now. */
function useAll({ reason, flowid }: AllOfReasonProps) {
  const { workspaceid } = useSession();
  const queries = useQueryClient();
  return async (operation: 'redriveDeadLetters' | 'dismissDeadLetters') => {
    const filter = { reason, before: new Date().toISOString(), ...(flowid !== undefined && { flowid }) };
    let count = 0;
    try {
      for (let after: string | undefined, isDone = false; !isDone; ) {
        const body = { ...filter, ...(after !== undefined && { after }) };
        const { done, next } = await call(operation, { query: { workspaceid }, body });
        count += done;
        after = next;
        isDone = next === undefined;
      }
      return count;
    } finally {
      await queries.invalidateQueries({ queryKey: ['dead-letters'] });
    }
  };
}
