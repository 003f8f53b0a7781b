// Runs the tests of the text in the worker, and shows their results and paths.
import { useMutation } from '@tanstack/react-query';
import type { TestResult } from '#lib/flow/testing/report.ts';
import type { JsonObject } from '#lib/json/json.ts';
import buttons from '../parts/button.module.css';
import { Failure } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { TestOutcome } from '../parts/test-outcome.tsx';
import styles from './editor.module.css';
import type { AskWorker } from './use-flow-worker.ts';
import { words } from './words.ts';

interface TestPanelProps {
  readonly text: string;
  readonly isValid: boolean;
  readonly env: JsonObject;
  readonly ask: AskWorker;
  /** The test whose path is shown. */
  readonly shown: TestResult | undefined;
  readonly onShow: (test: TestResult | undefined) => void;
}

export function TestPanel({ text, isValid, env, ask, shown, onShow }: TestPanelProps) {
  const run = useMutation({
    mutationFn: async (tested: string) => ({ tested, report: await ask('test', { text: tested, env }) }),
    onMutate: () => onShow(undefined),
  });
  const { tests = [] } = run.data?.report ?? {};
  return (
    <Panel
      title={words.tests}
      aside={
        <button
          type="button"
          className={buttons.button}
          disabled={!isValid || run.isPending}
          onClick={() => run.mutate(text)}
        >
          {run.isPending ? words.testing : words.runTests}
        </button>
      }
    >
      {run.error && <Failure error={run.error} />}
      {!run.data && <p className={styles.note}>{isValid ? words.testsText : words.testsNeedFlow}</p>}
      {run.data && (
        <p className={styles.note} role="status">
          {tests.length === 0
            ? words.noTests
            : words.testsPassed(tests.filter(({ passed }) => passed).length, tests.length)}
          {run.data.tested !== text && ` ${words.testsOutdated}`}
        </p>
      )}
      <ul>
        {tests.map((test, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tests may have one name, and their order is theirs.
          <li key={index} className={styles.test}>
            <Result test={test} isShown={test === shown} onShow={onShow} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface ResultProps {
  readonly test: TestResult;
  readonly isShown: boolean;
  readonly onShow: TestPanelProps['onShow'];
}

const Result = ({ test, isShown, onShow }: ResultProps) => (
  <>
    <Status status={test.passed ? 'passed' : 'failed'} />
    <div className={styles.detail}>
      <strong>{test.name}</strong>
      <span className={styles.soft}>{test.path.join(' → ')}</span>
      {!test.passed && <code>{test.expectation}</code>}
      {test.error && <span className={styles.bad}>{test.error}</span>}
      {test.got && <TestOutcome name={test.name} got={test.got} />}
    </div>
    {test.path.length > 0 && (
      <button
        type="button"
        className={buttons.button}
        aria-pressed={isShown}
        aria-label={words.showPathOf(test.name)}
        onClick={() => onShow(isShown ? undefined : test)}
      >
        {words.showPath}
      </button>
    )}
  </>
);
