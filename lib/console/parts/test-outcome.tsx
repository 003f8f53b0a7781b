// How the run of a flow's test ended that did not end as expected: its response or its error, as a tree.
import type { TestResult } from '#lib/flow/testing/report.ts';
import type { Json } from '#lib/json/json.ts';
import { JsonTree } from './json-tree.tsx';
import { words } from './words.ts';

interface TestOutcomeProps {
  readonly name: string;
  readonly got: NonNullable<TestResult['got']>;
}

export const TestOutcome = ({ name, got }: TestOutcomeProps) => (
  <>
    <p>{got.error ? words.testError : words.testResponse}</p>
    <JsonTree value={readOutcome(got)} label={words.outcomeOf(name)} />
  </>
);

/** As expectations see it, where an error without a node has `null`. */
function readOutcome({ response, error }: TestOutcomeProps['got']): Json {
  if (!error) return response ?? {};
  const { code, message, node_id = null } = error;
  return { code, message, node_id };
}
