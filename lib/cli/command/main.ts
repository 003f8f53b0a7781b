// Runs one command line of `agent-flow`.
import { CommanderError } from '@commander-js/extra-typings';
import { printFailure, wrongUsage } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveOutNotes } from '../print.ts';
import { createProgram } from './program.ts';

/** Commander has no error of its own for a group that is given nothing: it prints the help of the group, as this error. */
const lacksCommand = 'commander.help';

/** Returns the exit code, without the program's name in `args`. */
export async function main(args: readonly string[]): Promise<number> {
  const asJson = args.includes('--json');
  if (asJson) leaveOutNotes();
  // Lists that are piped into `head` end when it has enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.success);
  });
  try {
    await createProgram(asJson).parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.success);
  } catch (error) {
    if (!(error instanceof CommanderError)) return printFailure(error, asJson);
    if (error.exitCode === exitCodes.success) return exitCodes.success;
    if (error.code === lacksCommand) {
      // For people, commander has printed the commands that there are, to stderr.
      return printFailure(
        wrongUsage('A command is missing: expected one of those that --help lists.'),
        asJson,
      );
    }
    // For people, commander has printed it with the usage.
    return asJson ? printFailure(wrongUsage(error.message.replace(/^error: /, '')), asJson) : exitCodes.usage;
  }
}
