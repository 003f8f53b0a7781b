// A run as a test of its flow, to be copied or downloaded. It is read when somebody asks for it, because each reading is
// recorded.
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { CopyBlock } from '../parts/copy.tsx';
import dialog from '../parts/dialog.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { valueWords as words } from './value-words.ts';

export function SaveAsTest({ workflow_id }: { workflow_id: string }) {
  const [isOpen, open] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={open}>
      <Dialog.Trigger className={buttons.button}>{words.saveAsTest}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{words.saveAsTest}</Dialog.Title>
          <Dialog.Description className={dialog.text}>{words.saveText}</Dialog.Description>
          <SavedTest workflow_id={workflow_id} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Reasons that a person can read, and which asking again does not change. */
const reasons = ['run_values_not_kept', 'run_input_not_kept', 'run_not_testable'];

function SavedTest({ workflow_id }: { workflow_id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['run-test', workflow_id],
    queryFn: ({ signal }) => call('getRunTest', { params: { workflow_id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const text = data && JSON.stringify(data, undefined, 2);
  return (
    <>
      {text !== undefined && <CopyBlock text={text} label={words.testOf} />}
      {error instanceof ApiError && reasons.includes(error.problem.code) ? (
        <p role="alert">{error.problem.detail}</p>
      ) : (
        error && <Failure error={error} onRetry={() => void refetch()} />
      )}
      {!data && !error && <Loading />}
      <div className={dialog.actions}>
        <Dialog.Close className={buttons.button}>{words.close}</Dialog.Close>
        {text !== undefined && (
          <a
            className={buttons.primary}
            href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}
            download={`test-${workflow_id}.json`}
          >
            {words.download}
          </a>
        )}
      </div>
    </>
  );
}
