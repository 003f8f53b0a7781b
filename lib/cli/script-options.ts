// The command line of a script for operators. What is wrong with it is printed with the usage, and the script exits
// with 2.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Refuse = (message: string) => never;

interface OptionSchema<T> {
  readonly safeParse: (value: unknown) => {
    readonly data?: T;
    readonly error?: { readonly issues: readonly { readonly message: string }[] };
  };
}

/** Functions for one script, whose usage is printed with what is wrong. */
export function commandLine(usage: string) {
  const refuse: Refuse = (message) => {
    console.error(`${message}\n\n${usage}`);
    process.exit(2);
  };
  function readOptions<const O extends ParseArgsOptionsConfig>(options: O) {
    try {
      return parseArgs({ allowPositionals: true, options });
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
  }
  function checkOption<T>(name: string, schema: OptionSchema<T>, value: string): T {
    const { data, error } = schema.safeParse(value);
    return data ?? refuse(`--${name} ${value}: ${error?.issues[0]?.message ?? 'is not valid'}.`);
  }
  return { refuse, readOptions, checkOption };
}
