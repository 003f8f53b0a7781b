// Runs the commands of docs/tutorial.md as its reader does, and compares what they print.
import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { newUserHome } from '#test/support/flow-command.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { watchProcess } from '#test/support/watched-process.ts';

const address = 'http://127.0.0.1:3000';

interface Step {
  readonly commands: string;
  readonly prints: string;
  readonly exitCode: number;
}

/** Each block of commands, with the block of their output that follows it. */
function readSteps(page: string): Step[] {
  const blocks = page.matchAll(/^```sh( fails)?\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, fails, commands = '', prints = '']) => ({
    ...{ commands, prints, exitCode: fails ? 1 : 0 },
  }));
}

/**
 * Without what differs from one run to the next, such as the progress that a command prints after a second, and the text
 * of a model, which comes while a run goes on. The local service is named by the environment here.
 */
const mask = (printed: string): string =>
  printed
    .replace(/^.* …\n/gm, '')
    .replace(/^\w+\.\d+ writes:\n.*\n/gm, '')
    .replaceAll(serviceUrl(), address)
    .replaceAll('(the environment)', '(the local service)')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>')
    .replace(/\breg_\w{26}\b/g, '<build>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\(\d+(\.\d+)? m?s\)/g, '(<duration>)')
    .trimEnd();

/** `npx agent-flow` is the program of this folder, without the second that npx takes to find it. */
const npx = `npx() { shift; node '${resolve('bin/agent-flow.mjs')}' "$@"; }\nset -e\n`;

test('every command of the tutorial prints what the page shows', async () => {
  const page = await readFile('docs/tutorial.md', 'utf8');
  const steps = readSteps(page);
  expect(steps).toHaveLength(page.match(/^```sh/gm)?.length ?? 0);
  const caller = await newCaller();
  const home = await newUserHome();
  await mkdir(join(home.folder, '.local'));
  await writeFile(join(home.folder, '.local/api-key'), `${caller.key}\n`);
  await symlink(resolve('node_modules'), join(home.folder, 'node_modules'));
  const env = {
    ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home.folder, NO_COLOR: '1' },
    ...{ AGENT_FLOW_URL: serviceUrl(), AGENT_FLOW_KEY: caller.key, AGENT_FLOW_WORKSPACE: caller.workspaceid },
    ...{ npm_command: 'exec' },
  };
  for (const { commands, prints, exitCode } of steps) {
    const script = `${npx}${commands.replaceAll(address, serviceUrl())}`;
    const child = spawn('bash', ['-c', `{ ${script}\n} 2>&1`], {
      ...{ cwd: home.folder, env, stdio: ['ignore', 'pipe', 'pipe'] as const },
    });
    const ran = watchProcess(child, commands);
    const code = await ran.ended;
    expect({ commands, code, printed: mask(ran.printed()) }).toEqual({
      ...{ commands, code: exitCode, printed: mask(prints) },
    });
  }
  await home.remove();
}, 120_000);
