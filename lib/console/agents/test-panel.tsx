// Runs the tests of a build and shows their results.
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { Failure } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { TestOutcome } from '../parts/test-outcome.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './build-page.module.css';
import { words } from './words.ts';

export function TestPanel({ id }: { id: string }) {
  const { may } = useSession();
  const mayRun = may('assistants.flows:run');
  const test = useMutation({
    mutationFn: () => call('testRegistryRow', { params: { a2aregistryid: id } }),
  });
  const tests = test.data?.tests ?? [];
  return (
    <Panel
      title={words.tests}
      aside={
        <button
          type="button"
          className={buttons.button}
          disabled={!mayRun || test.isPending}
          onClick={() => test.mutate()}
        >
          {test.isPending ? words.testing : words.runTests}
        </button>
      }
    >
      {test.error && <Failure error={test.error} />}
      {!test.data && !test.error && (
        <p className={styles.none}>{mayRun ? words.testsText : words.mayNotTest}</p>
      )}
      {test.data && (
        <p className={styles.none} role="status">
          {tests.length === 0
            ? words.noTests
            : words.testsPassed(tests.filter(({ passed }) => passed).length, tests.length)}
        </p>
      )}
      <ul>
        {tests.map(({ name, passed, expectation, error, got, path }) => (
          <li key={name} className={styles.test}>
            <Status status={passed ? 'passed' : 'failed'} />
            <div>
              <strong>{name}</strong>
              <p className={styles.soft}>{path.join(' → ')}</p>
              {!passed && (
                <>
                  <code>{expectation}</code>
                  {error && <p className={styles.bad}>{error}</p>}
                  {got && <TestOutcome name={name} got={got} />}
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
