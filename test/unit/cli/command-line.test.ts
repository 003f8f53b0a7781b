// The command line of `agent-flow`: its commands, their help, and what is refused before anything is read or run.
import { spawnSync } from 'node:child_process';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { main } from '#lib/cli/command/main.ts';
import { createProgram } from '#lib/cli/command/program.ts';
import { collectHost, collectPair, type Pairs } from '#lib/cli/options.ts';

let printed = '';
const capture = (chunk: unknown) => {
  printed += String(chunk);
  return true;
};
const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(capture);
const lines = vi.spyOn(console, 'error').mockImplementation((line) => capture(`${line}\n`));
afterEach(() => {
  printed = '';
});

async function say(...args: string[]) {
  expect([stderr, lines]).toHaveLength(2);
  return { code: await main(args), printed };
}

const pairs = (...given: string[]) => given.reduce<Pairs>((all, each) => collectPair(each, all), {});

test('variables are texts or JSON, and the last of a name counts', () => {
  expect(pairs('name=Ada', 'n:=[1]', 'SHOP=a=b', 'name=Bea')).toEqual({ name: 'Bea', n: [1], SHOP: 'a=b' });
});

test('hosts are collected', () => {
  expect(collectHost('127.0.0.1:4010', ['a:1'])).toEqual(['a:1', '127.0.0.1:4010']);
});

describe('an invalid command is refused with the reason, and exits with 2:', () => {
  test.each([
    ['no command', [], 'Usage: agent-flow <command> [options]'],
    ['an unknown command', ['walk', 'a.json'], "unknown command 'walk'"],
    ['a name that every object has', ['constructor', 'a.json'], "unknown command 'constructor'"],
    ['no file', ['check'], "missing required argument 'files'"],
    ['two files', ['draw', 'a.json', 'b.json'], 'too many arguments'],
    ['an unknown option', ['check', 'a.json', '--fast'], '--fast'],
    ['an option without its value', ['run', 'a.json', '--message'], '--message'],
    ['an option of another command', ['check', 'a.json', '--var', 'name=Ada'], "unknown option '--var'"],
    ['a variable without a value', ['run', 'a.json', '--var', 'name'], 'Expected name=text or name:=json'],
    ['a variable without a name', ['run', 'a.json', '--var', '=Ada'], 'Expected name=text'],
    ['a variable that is not JSON', ['run', 'a.json', '--var', 'n:=[1'], 'n: expected JSON after ":="'],
    ['an environment without a name', ['test', 'a.json', '--env', 'SHOP'], 'Expected name=text'],
    ['a private host that is none', ['run', 'a.json', '--allow-private', 'a/b'], '"a/b" is not a host'],
  ])('%s', async (_what, args, said) => {
    expect(await say(...args)).toEqual({ code: 2, printed: expect.stringContaining(said) });
  });

  test('as one JSON document with --json', async () => {
    const { code, printed } = await say('check', 'a.json', '--json', '--fats');
    expect([code, JSON.parse(printed)]).toEqual([2, { error: { message: "unknown option '--fats'" } }]);
  });
});

describe('help', () => {
  const walk = (command: CommandUnknownOpts): readonly CommandUnknownOpts[] => [
    command,
    // What shells call to complete a line is not for people.
    ...command.commands.filter((each) => each.name() !== 'complete').flatMap(walk),
  ];
  const [program, ...commands] = walk(createProgram());

  test.each(commands.map((each) => [each.name(), each] as const))(
    '%s describes itself, its arguments and its options',
    (_name, command) => {
      expect(command.summary() || command.description()).toMatch(/^\S.{5,}/);
      for (const each of [...command.registeredArguments, ...command.options])
        expect(each.description, each.name()).toMatch(/\S{2}/);
      for (const line of command.helpInformation().split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    },
  );

  test('every command that does something prints JSON with --json', () => {
    const leaves = commands.filter((each) => each.commands.length === 0 && each.name() !== 'completion');
    expect(
      leaves.filter((each) => !each.options.some(({ long }) => long === '--json')).map((each) => each.name()),
    ).toEqual([]);
  });

  test('the program names its commands', () => {
    for (const each of commands.filter(({ parent }) => parent === program))
      expect(program?.helpInformation()).toContain(`\n  ${each.name()} `);
  });
});

describe('completion', () => {
  const out = vi.spyOn(console, 'log');
  const complete = async (...words: string[]) => {
    out.mockReset();
    await main(['complete', '--', ...words]);
    return out.mock.calls.map(([line]) => String(line).split('\t')[0]);
  };

  test('knows commands, options and their values', async () => {
    expect(await complete('pro')).toEqual(expect.arrayContaining(['promote', 'profiles']));
    expect(await complete('runs', '--sta')).toContain('--status');
    expect(await complete('dead-letters', 're')).toContain('redrive');
    expect(await complete('dead-letters', 'redrive', '--be')).toContain('--before');
    expect(await complete('budgets', 're')).toContain('remove');
    expect(await complete('environments', 'try')).toContain('try-telemetry');
    expect(await complete('usage', '--group', '')).toEqual(['workspace', 'flow', 'key', 'model', ':4']);
    expect(await complete('usage', '--by', '')).toEqual(['day', 'month', ':4']);
    expect(await complete('runs', '--status', '')).toEqual(expect.arrayContaining(['completed', 'failed']));
  });

  test.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (shell) => {
    out.mockReset();
    await main(['completion', shell]);
    expect(out.mock.calls.join('\n')).toMatch(/agent-flow complete/);
  });

  test('works in a bash without the package bash-completion', async () => {
    out.mockReset();
    await main(['completion', 'bash']);
    const script = out.mock.calls.map(([line]) => line).join('\n');
    const session = `${script}
agent-flow() { [ "$*" = 'complete -- runs --st' ] && printf -- '--status\\tonly these\\n--since\\tonly later\\n:4\\n'; }
COMP_WORDS=(agent-flow runs --st) COMP_CWORD=2
__agent_flow_complete
echo "\${COMPREPLY[*]}"`;
    const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-c', session], { encoding: 'utf8' });
    expect(stdout).toBe('--status\n');
  });
});
