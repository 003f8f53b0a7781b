// Parses the command line of `npm run flow`: the command, its file and its options. All of it is checked
// before anything is read or run.
import { parseArgs } from 'node:util';
import { entryFault } from '#lib/egress/egress-policy.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

/** The command line is not valid. Nothing was read or run. */
export class WrongCommand extends Error {
  override readonly name = 'WrongCommand';
}

/** The usage line of each command. A command accepts only the options in its line. */
export const usages = {
  check: 'check FILE',
  test: 'test FILE [--env <name>=<text>]',
  run:
    'run FILE [--message <text>] [--var <name>=<text>] [--event <file>] [--env <name>=<text>] ' +
    '[--answer <text>] [--allow-private <host:port>] [--log <result.json>]',
  build: 'build FILE [-o <out.json> | --out <out.json>]',
  draw: 'draw FILE [--log <result.json>] [-o <out.svg> | --out <out.svg>]',
} as const;

export type CommandName = keyof typeof usages;

export const isCommand = (name: string | undefined): name is CommandName =>
  name !== undefined && Object.hasOwn(usages, name);

export type CommandLine = ReturnType<typeof readCommandLine>;

/** Throws a `WrongCommand`. */
export function readCommandLine(args: readonly string[]) {
  const { values, positionals } = parseOptions(args);
  const [name, file, ...more] = positionals;
  if (!isCommand(name) || file === undefined || more.length > 0)
    throw new WrongCommand(`Expected a command (${Object.keys(usages).join(', ')}) and one file.`);
  const unknown = Object.keys(values).find((option) => !usages[name].includes(`--${option} `));
  if (unknown) throw new WrongCommand(`The command ${name} has no option --${unknown}.`);
  const {
    env = [],
    var: variables = [],
    answer: answers = [],
    'allow-private': hosts = [],
    ...options
  } = values;
  return {
    ...options,
    name,
    file,
    answers,
    env: parsePairs('--env', env),
    variables: parsePairs('--var', variables),
    privateHosts: hosts.map(privateHost),
  };
}

const text = { type: 'string' } as const;
const texts = { ...text, multiple: true } as const;

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        message: text,
        var: texts,
        event: text,
        env: texts,
        answer: texts,
        'allow-private': texts,
        log: text,
        out: { ...text, short: 'o' },
      },
    });
  } catch (error) {
    throw new WrongCommand(error instanceof Error ? error.message : String(error));
  }
}

function privateHost(given: string): string {
  const fault = entryFault(given);
  if (fault) throw new WrongCommand(`--allow-private: "${given}" ${fault}`);
  return given;
}

/** Parses `name=text` and `name:=json`. If a name is repeated, the last value counts. */
function parsePairs(option: string, given: readonly string[]): JsonObject {
  return Object.fromEntries(given.map((each) => parsePair(option, each)));
}

function parsePair(option: string, given: string): readonly [string, Json] {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(given);
  const [, name, sign, value] = match ?? [];
  if (name === undefined || value === undefined)
    throw new WrongCommand(`${option} ${given}: expected name=text or name:=json.`);
  return [name, sign === '=' ? value : parseValue(option, name, value)];
}

function parseValue(option: string, name: string, value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    throw new WrongCommand(`${option} ${name}: expected JSON after ":=", got ${value}`);
  }
}
