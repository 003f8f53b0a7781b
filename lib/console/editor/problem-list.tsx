// The mistakes and warnings of the text; each leads to its place.
import { Icon } from '../parts/icon.tsx';
import { Panel } from '../parts/page.tsx';
import statuses from '../parts/status.module.css';
import styles from './editor.module.css';
import type { Problem } from './flow-text.ts';
import type { Check } from './use-checked-text.ts';
import { words } from './words.ts';

interface ProblemListProps {
  readonly check: Check | undefined;
  readonly problems: readonly Problem[];
  readonly onOpen: (problem: Problem) => void;
}

export const ProblemList = ({ check, problems, onOpen }: ProblemListProps) => (
  <Panel title={words.problems}>
    <p className={styles.note} role="status">
      {describe(check, problems)}
    </p>
    {problems.length > 0 && (
      <ul aria-label={words.problemList}>
        {problems.map((problem) => (
          <li key={`${problem.severity} ${problem.pointer} ${problem.detail}`}>
            <button type="button" className={styles.problem} onClick={() => onOpen(problem)}>
              <span
                className={`${statuses.status} ${problem.severity === 'error' ? statuses.bad : statuses.wait}`}
              >
                <Icon name={problem.severity === 'error' ? 'failed' : 'warning'} size={14} />
                {problem.severity === 'error' ? words.mistake : words.warning}
              </span>
              <span className={styles.detail}>
                {problem.detail}
                <span className={styles.soft}>
                  {words.line(problem.line)} · <code>{problem.pointer || words.wholeFlow}</code>
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    )}
    {check !== undefined && check.unlisted > 0 && (
      <p className={styles.note}>{words.unlisted(check.unlisted)}</p>
    )}
  </Panel>
);

function describe(check: Check | undefined, problems: readonly Problem[]): string {
  if (!check) return words.checking;
  if (check.hasFailed) return words.checkFailed;
  const mistakes = problems.filter(({ severity }) => severity === 'error').length;
  return problems.length === 0 ? words.noProblems : words.found(mistakes, problems.length - mistakes);
}
