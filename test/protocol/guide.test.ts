// docs/a2a.md as an integrator uses it: its commands and programs are run against an agent of the service, and print
// what it says.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrls } from '#test/support/a2a.ts';
import { card, flow } from '#test/support/builders.ts';
import { liveAgent } from '#test/support/flows.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const guide = await readFile(new URL('docs/a2a.md', root), 'utf8');

/** The code of the page in one language. */
const listBlocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const [connect = '', ...others] = listBlocks('js');
const expectedLines = (code: string) => [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, line]) => line);

let env: Record<string, string>;
/** Within the project, so that programs find its packages. */
let folder: string;
beforeAll(async () => {
  const extensions = [{ uri: 'https://example.com/extensions/geolocation/v1' }];
  const agent = await liveAgent({
    agent_card: card({
      name: 'Echo',
      defaultInputModes: ['text/plain', 'text/csv'],
      capabilities: { extensions },
    }),
    flow: flow({
      start: 'which',
      nodes: {
        which: {
          type: 'switch',
          cases: [{ when: "{{ input.message = 'Plan a trip' }}", next: 'where' }],
          default: 'echo',
        },
        where: { type: 'ask', prompt: 'Where to?', next: 'trip' },
        trip: { type: 'end', output: { answer: 'To {{ nodes.where }}.' } },
        echo: { type: 'end', output: { answer: 'You said: {{ input.message }}' } },
      },
    }),
  });
  env = { PATH: process.env.PATH ?? '', API_KEY: agent.key, HOSTED_URL: agentUrls(agent).live };
  folder = await mkdtemp(fileURLToPath(new URL('node_modules/.guide-', root)));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** What a program prints. */
async function print(name: string, program: string): Promise<string[]> {
  const file = `${folder}/${name}.mjs`;
  await writeFile(file, program);
  const { stdout } = await run(process.execPath, [file], { env });
  return stdout.trimEnd().split('\n');
}

test('the command of curl gets the task of the agent', async () => {
  const [command = ''] = listBlocks('sh');
  expect(command).toContain('curl -sS "$HOSTED_URL"');
  const { stdout } = await run('sh', ['-ec', command], { env });
  expect(JSON.parse(stdout)).toMatchObject({
    result: {
      task: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ parts: [{ text: 'You said: Hello' }] }],
      },
    },
  });
});

describe('the programs in JavaScript', () => {
  test('connect, and print what the page says', async () => {
    expect(await print('connect', connect)).toEqual(expectedLines(connect));
    expect(expectedLines(connect)).toHaveLength(1);
    expect(others.length).toBeGreaterThan(5);
  });

  test.each(others.map((code) => [code.trimStart().split('\n')[0], code] as const))('%s', async (_, code) => {
    const isLegacy = code.includes('with @a2a-js/sdk 0.3');
    // The first lines of the first program, which the others continue, with the version that this one needs.
    const [start = ''] = connect.split('\nconst ask = ');
    const program = isLegacy
      ? `${start}\n${code}`.replaceAll('@a2a-js/sdk', 'a2a-js-sdk-0.3').replace(/^import \{ SendM.*\n/m, '')
      : `${connect}\n${code}`;
    const before = isLegacy ? [] : expectedLines(connect);
    // That line would look for the card of 1.0.
    const whole = isLegacy ? program.replace(/^const client = .*\n/m, '') : program;
    expect(expectedLines(code).length).toBeGreaterThan(0);
    expect(await print('other', whole)).toEqual([...before, ...expectedLines(code)]);
  });
});

test('the programs in Python are of valid syntax', async () => {
  const programs = listBlocks('python');
  expect(programs.length).toBeGreaterThan(2);
  const inFunction = (code: string) => `async def program():\n${code.replace(/^/gm, '    ')}`;
  for (const program of programs) {
    const check = 'import ast, sys; ast.parse(sys.argv[1])';
    await run('python3', ['-c', check, inFunction(program)], { env });
  }
});
