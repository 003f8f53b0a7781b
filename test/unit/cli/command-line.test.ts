// The command line of `npm run flow`.
import { describe, expect, test } from 'vitest';
import { readCommandLine, WrongCommand } from '#lib/cli/command-line.ts';

test('a command is parsed to its file and options', () => {
  const args = [
    'run',
    'a.json',
    '--var',
    'name=Ada',
    '--var',
    'n:=[1]',
    '--env',
    'SHOP=a=b',
    '--answer',
    'yes',
  ];
  expect(readCommandLine([...args, '--allow-private', '127.0.0.1:4010', '--message', 'hi'])).toEqual({
    ...{ name: 'run', file: 'a.json', message: 'hi' },
    variables: { name: 'Ada', n: [1] },
    env: { SHOP: 'a=b' },
    answers: ['yes'],
    privateHosts: ['127.0.0.1:4010'],
  });
});

test.each([
  ['check', []],
  ['test', ['--env', 'a=b']],
  ['draw', ['--log', 'run.json', '-o', 'out.svg']],
  ['draw', ['--out', 'out.svg']],
])('%s accepts %j', (name, options) => {
  expect(readCommandLine([name, 'a.json', ...options])).toMatchObject({ name, file: 'a.json' });
});

describe('an invalid command is refused with the reason:', () => {
  test.each([
    ['no command', [], 'Expected a command (check, test, run, build, draw) and one file.'],
    ['an unknown command', ['walk', 'a.json'], 'Expected a command'],
    ['a name that every object has', ['constructor', 'a.json'], 'Expected a command'],
    ['no file', ['check'], 'Expected a command'],
    ['two files', ['check', 'a.json', 'b.json'], 'Expected a command'],
    ['an unknown option', ['check', 'a.json', '--fast'], '--fast'],
    ['an option without its value', ['run', 'a.json', '--message'], '--message'],
    [
      'an option of another command',
      ['check', 'a.json', '--var', 'name=Ada'],
      'The command check has no option --var.',
    ],
    [
      'a short option of another command',
      ['run', 'a.json', '-o', 'x.svg'],
      'The command run has no option --out.',
    ],
    [
      'a variable without a value',
      ['run', 'a.json', '--var', 'name'],
      '--var name: expected name=text or name:=json',
    ],
    ['a variable without a name', ['run', 'a.json', '--var', '=Ada'], '--var =Ada: expected name=text'],
    ['a variable that is not JSON', ['run', 'a.json', '--var', 'n:=[1'], '--var n: expected JSON after ":="'],
    [
      'a value of the environment without a name',
      ['test', 'a.json', '--env', 'SHOP'],
      '--env SHOP: expected name=text',
    ],
    [
      'a private host that is none',
      ['run', 'a.json', '--allow-private', 'a/b'],
      '--allow-private: "a/b" is not a host',
    ],
  ])('%s', (_what, args, said) => {
    const read = () => readCommandLine(args);
    expect(read).toThrow(WrongCommand);
    expect(read).toThrow(said);
  });
});
