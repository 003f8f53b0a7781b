// What a run was started with. It is read when somebody asks for it, because each reading is recorded.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CallOutput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import type { RunDetail } from './queries.ts';
import { Json } from './raw-view.tsx';
import { Replays } from './replays.tsx';
import { RunAgain } from './run-again.tsx';
import styles from './run-input.module.css';
import { SaveAsTest } from './save-as-test.tsx';
import { valueWords } from './value-words.ts';
import { words } from './words.ts';

export type Input = CallOutput<'getRunInput'>['input'];

export function RunInput({ run }: { run: RunDetail }) {
  const { may } = useSession();
  const [isAsked, ask] = useState(false);
  const { workflow_id } = run;
  const query = useQuery({
    queryKey: ['run-input', workflow_id],
    queryFn: ({ signal }) => call('getRunInput', { params: { workflow_id } }, { signal }),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const input = query.data?.input;
  const isNotKept = query.error instanceof ApiError && query.error.problem.code === 'run_input_not_kept';
  const given = isNotKept ? {} : input;
  const aside = (
    <div className={styles.actions}>
      {(run.status === 'completed' || run.status === 'failed') && <SaveAsTest workflow_id={workflow_id} />}
      {given && may('assistants.flows:run') && (
        <RunAgain run={run} input={isMessage(given) ? given : undefined} />
      )}
    </div>
  );
  return (
    <Panel title={words.input} aside={aside}>
      <Replays run={run} />
      {input ? (
        <Json value={input} label={words.input} />
      ) : (
        <div className={styles.text}>
          {isAsked ? <Reading query={query} /> : <p>{words.inputText}</p>}
          {!isAsked && (
            <button type="button" className={buttons.button} onClick={() => ask(true)}>
              {words.showInput}
            </button>
          )}
        </div>
      )}
    </Panel>
  );
}

/** Events and files come from elsewhere, and are sent again as they were. */
const isMessage = (input: Input): boolean => Object.keys(input).every((name) => startedWith.includes(name));
const startedWith = ['message', 'user_variables'];

function Reading({ query: { error, refetch } }: { query: { error: unknown; refetch: () => unknown } }) {
  if (!error) return <Loading />;
  if (error instanceof ApiError && error.problem.code === 'run_input_not_kept')
    return <p>{valueWords.notKept}</p>;
  return <Failure error={error} onRetry={() => void refetch()} />;
}
