// What `npm run flow` was told: the command, its file and its options, all checked before anything is read or run.
import { parseArgs } from 'node:util';
import { entryFault } from '#lib/egress/egress-policy.ts';
import { pairs } from './pairs.ts';
import { WrongCommand } from './wrong-command.ts';

/** How each command is used. It takes the options that its line names, and no others. */
export const usages = {
  check: 'check FILE',
  test: 'test FILE [--env <name>=<text>]',
  run: 'run FILE [--message <text>] [--var <name>=<text>] [--event <file>] [--env <name>=<text>] [--answer <text>] [--allow-private <host:port>] [--log <result.json>]',
  draw: 'draw FILE [--log <result.json>] [-o <out.svg> | --out <out.svg>]',
} as const;

export type CommandName = keyof typeof usages;

export const isCommand = (name: string | undefined): name is CommandName =>
  name !== undefined && Object.hasOwn(usages, name);

export type CommandLine = ReturnType<typeof readCommandLine>;

/** Throws a `WrongCommand`. */
export function readCommandLine(args: readonly string[]) {
  const { values, positionals } = parsed(args);
  const [name, file, ...more] = positionals;
  if (!isCommand(name) || file === undefined || more.length > 0)
    throw new WrongCommand(`Expected one of ${Object.keys(usages).join(', ')}, and a file.`);
  const foreign = Object.keys(values).find((option) => !usages[name].includes(`--${option} `));
  if (foreign) throw new WrongCommand(`${name} takes no --${foreign}.`);
  const {
    env = [],
    var: variables = [],
    answer: answers = [],
    'allow-private': hosts = [],
    ...options
  } = values;
  return {
    ...{ name, file, ...options, answers },
    env: pairs('--env', env),
    variables: pairs('--var', variables),
    privateHosts: hosts.map(privateHost),
  };
}

const text = { type: 'string' } as const;
const texts = { ...text, multiple: true } as const;

function parsed(args: readonly string[]) {
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
