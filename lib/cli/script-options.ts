// The command line of a script. What is wrong with it is printed with the usage, and the script exits with 2. `--help`
// prints the usage, and the script exits with 0.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Refuse = (message: string) => never;

interface OptionSchema<T> {
  readonly safeParse: (value: unknown) => {
    readonly data?: T;
    readonly error?: { readonly issues: readonly { readonly message: string }[] };
  };
}

/** `-h` is no option of any script, so it asks for help wherever it stands. */
const asksForHelp = (args: readonly string[]): boolean =>
  args.some((each) => each === '--help' || each === '-h');

/** Prints the usage and exits if the command line asks for it. */
function offerHelp(usage: string, args: readonly string[] = process.argv.slice(2)): void {
  if (!asksForHelp(args)) return;
  console.log(usage);
  process.exit(0);
}

/** For a script without arguments, whose usage is one line or begins with one. */
export function takeNoArguments(usage: string): void {
  const { readOptions, refuse } = commandLine(usage);
  const [argument] = readOptions({}).positionals;
  if (argument !== undefined) refuse(`Expected no arguments, got ${argument}.`);
}

/** Node.js adds advice about arguments that begin with a dash, which no script has. */
function readMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/\. To specify a positional argument .*$/s, '.');
}

/** Functions for one script, whose usage is printed with what is wrong. */
export function commandLine(usage: string) {
  const refuse: Refuse = (message) => {
    console.error(`${message}\n\n${usage}`);
    process.exit(2);
  };
  function readOptions<const O extends ParseArgsOptionsConfig>(options: O) {
    offerHelp(usage);
    try {
      return parseArgs({ allowPositionals: true, options });
    } catch (error) {
      return refuse(readMessage(error));
    }
  }
  function checkOption<T>(name: string, schema: OptionSchema<T>, value: string): T {
    const { data, error } = schema.safeParse(value);
    return data ?? refuse(`--${name} ${value}: ${error?.issues[0]?.message ?? 'is not valid'}.`);
  }
  return { refuse, readOptions, checkOption };
}
