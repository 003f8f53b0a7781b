// The session of docs/cli.md, which `-u` records anew, and the tables of its commands.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '#lib/cli/command/program.ts';
import { exitCodes } from '#lib/cli/exit-codes.ts';
import { readSteps, runSteps, withPrinted } from '#test/support/page-session.ts';

const guide = await readFile('docs/cli.md', 'utf8');

test('every command of the session prints what the page shows', async () => {
  const [session = ''] = /^## A session\n[\s\S]*?^## /m.exec(guide) ?? [];
  const steps = readSteps(session);
  const ran = await runSteps(steps);
  expect(steps.map(({ commands, exitCode }) => [commands, exitCode])).toEqual(
    steps.map(({ commands }, position) => [commands, ran[position]?.code]),
  );
  const recorded = guide.replace(session, () =>
    withPrinted(
      session,
      ran.map(({ printed }) => printed),
    ),
  );
  await expect(recorded).toMatchFileSnapshot(resolve('docs/cli.md'));
}, 120_000);

test('the page names every command and every exit code', () => {
  for (const command of createProgram().commands)
    if (!['complete', 'help'].includes(command.name()))
      expect(guide).toContain(`\n| \`${command.name()}\` | \``);
  for (const code of Object.values(exitCodes)) expect(guide).toContain(`\n| ${code} | `);
});
