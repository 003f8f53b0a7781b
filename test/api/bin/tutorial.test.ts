// Runs the commands of docs/tutorial.md as its reader does, and compares what they print.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readSteps, runSteps, withoutVariables } from '#test/support/page-session.ts';

test('every command of the tutorial prints what the page shows', async () => {
  const page = await readFile('docs/tutorial.md', 'utf8');
  const steps = readSteps(page);
  expect(steps).toHaveLength(page.match(/^```sh/gm)?.length ?? 0);
  const ran = await runSteps(steps);
  steps.forEach(({ commands, prints, exitCode }, position) => {
    const { code, printed = '' } = ran[position] ?? {};
    expect({ commands, code, printed: withoutVariables(printed) }).toEqual({
      ...{ commands, code: exitCode, printed: withoutVariables(prints) },
    });
  });
}, 120_000);
