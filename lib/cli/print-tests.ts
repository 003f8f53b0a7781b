// Prints the results of the tests of a flow.
import { styleText } from 'node:util';
import type { TestReport, TestResult } from '#lib/flow/testing/report.ts';
import { plainText } from './plain-text.ts';

export function printTests({ tests }: TestReport): void {
  for (const test of tests) printTest(test);
  const failed = tests.filter(({ passed }) => !passed).length;
  if (tests.length === 0) console.log('The flow has no tests.');
  else console.log(`${tests.length - failed} passed, ${failed} failed.`);
}

function printTest({ name, passed, expectation, got, path, error }: TestResult): void {
  const mark = passed ? styleText('green', '✓') : styleText('red', '✗');
  console.log(`${mark} ${plainText(name)}`);
  if (passed) return;
  const detail = [
    error,
    `expected ${expectation}`,
    got && `got      ${JSON.stringify(got)}`,
    `path     ${path.join(' → ') || '(no node was run)'}`,
  ];
  for (const line of detail) if (line !== undefined) console.log(`    ${plainText(line)}`);
}
