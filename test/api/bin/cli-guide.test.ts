// The session of docs/cli.md, with the program that npx starts.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '#lib/cli/command/program.ts';
import { exitCodes } from '#lib/cli/exit-codes.ts';
import { newCaller } from '#test/support/caller.ts';
import { newUserHome } from '#test/support/flow-command.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { watchProcess } from '#test/support/watched-process.ts';

const guide = await readFile('docs/cli.md', 'utf8');

test('every command of the session does what it says', async () => {
  const [, session = ''] = /^```sh session\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const caller = await newCaller();
  const home = await newUserHome();
  const env = {
    ...{ PATH: process.env.PATH, HOME: home.folder, NO_COLOR: '1' },
    ...{ AGENT_FLOW_URL: serviceUrl(), AGENT_FLOW_KEY: caller.key, AGENT_FLOW_WORKSPACE: caller.workspaceid },
  };
  const launcher = resolve('bin/agent-flow.mjs');
  const printed: string[] = [];
  for (const line of session.trim().split('\n')) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    expect(words.slice(0, 2)).toEqual(['npx', 'agent-flow']);
    const child = spawn(process.execPath, [launcher, ...words.slice(2)], {
      cwd: home.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ran = watchProcess(child, line);
    expect([line, await ran.ended, ran.printed()]).toEqual([line, 0, expect.any(String)]);
    printed.push(ran.output());
  }
  await home.remove();
  const [, checked, , , , compared, live, called] = printed;
  expect(checked).toBe('"Greeter" is a valid flow of 2 nodes.\n');
  expect([compared, live]).toEqual([
    expect.stringContaining('no build is live yet'),
    expect.stringContaining('Build 1 of greeter '),
  ]);
  expect(called).toContain('Why is the sky blue?');
});

test('the page names every command and every exit code', () => {
  for (const command of createProgram().commands)
    if (!['complete', 'help'].includes(command.name()))
      expect(guide).toContain(`\n| \`${command.name()}\` | \``);
  for (const code of Object.values(exitCodes)) expect(guide).toContain(`\n| ${code} | `);
});
