// The commands of a page of the documentation, run as its reader does, and what they print.
import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newCaller } from './caller.ts';
import { newUserHome } from './flow-command.ts';
import { serviceUrl } from './service-url.ts';
import { watchProcess } from './watched-process.ts';

const address = 'http://127.0.0.1:3000';

/** A block of commands, and the block of their output that follows it. */
const step = /^```sh( fails)?\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm;

export interface SessionStep {
  readonly commands: string;
  /** What the page shows. */
  readonly prints: string;
  readonly exitCode: number;
}

export const readSteps = (page: string): SessionStep[] =>
  [...page.matchAll(step)].map(([, fails, commands = '', prints = '']) => ({
    ...{ commands, prints, exitCode: fails ? 1 : 0 },
  }));

/** The page with what its commands have printed: as it was where that says the same. */
export function withPrinted(page: string, printed: readonly string[]): string {
  let position = 0;
  return page.replace(step, (block: string, _fails: unknown, _commands: string, prints: string) => {
    const now = printed[position++] ?? '';
    if (withoutVariables(now) === withoutVariables(prints)) return block;
    return `${block.slice(0, block.lastIndexOf('```text'))}\`\`\`text\n${now}\`\`\``;
  });
}

/**
 * Without what differs from one run to the next, such as the progress that a command prints after a second, and the text
 * of a model, which comes while a run is in progress.
 */
export const withoutVariables = (printed: string): string =>
  toShown(printed)
    .replace(/^\w+\.\d+ writes:\n.*\n/gm, '')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>')
    .replace(/\breg_\w{26}\b/g, '<build>')
    // The column is as wide as the id of the key.
    .replace(/\b(CALLER|key_\w+) +/g, (_, word: string) => `${word === 'CALLER' ? word : '<key>'}  `)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\(\d+(\.\d+)? m?s\)/g, '(<duration>)')
    .trimEnd();

/** As with the service of the reader. Here it has another address, which the environment gives. */
const toShown = (printed: string): string =>
  printed
    .replace(/^.* …\n/gm, '')
    .replaceAll(serviceUrl(), address)
    .replaceAll('(the environment)', '(the local service)');

/** `npx agent-flow` is the program of this folder, without the second that npx takes to find it. */
const npx = `npx() { shift; node '${resolve('bin/agent-flow.mjs')}' "$@"; }\nset -e\n`;

export interface RanStep {
  readonly code: number | null;
  readonly printed: string;
}

/** One after the other, in a folder that has what `npm start` leaves in it. */
export async function runSteps(steps: readonly SessionStep[]): Promise<RanStep[]> {
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
  const ran: RanStep[] = [];
  for (const { commands } of steps) {
    const script = `${npx}${commands.replaceAll(address, serviceUrl())}`;
    const child = spawn('bash', ['-c', `{ ${script}\n} 2>&1`], {
      ...{ cwd: home.folder, env, stdio: ['ignore', 'pipe', 'pipe'] as const },
    });
    const watched = watchProcess(child, commands);
    const code = await watched.ended;
    ran.push({ code, printed: toShown(watched.printed()) });
  }
  await home.remove();
  return ran;
}
