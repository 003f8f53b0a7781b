// Why a command ends without success, and how that is printed: as text for people, or as JSON for programs.
import type { JsonObject } from '#lib/json/json.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { plainText } from './plain-text.ts';

interface Details {
  readonly exitCode?: ExitCode;
  /** More members of the error for programs. */
  readonly members?: JsonObject;
  /** More lines for people, below the message. */
  readonly lines?: readonly string[];
}

/** The message is a sentence. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly members: JsonObject;
  readonly lines: readonly string[];

  constructor(message: string, { exitCode = exitCodes.failure, members = {}, lines = [] }: Details = {}) {
    super(message);
    this.exitCode = exitCode;
    this.members = members;
    this.lines = lines;
  }
}

/** The command line is not valid, although its options are known. */
export const wrongUsage = (message: string): CommandFailure =>
  new CommandFailure(message, { exitCode: exitCodes.usage });

/** Prints to stderr, so that stdout has results only. Never a stack trace: they are of no use to those who did not write the command. */
export function printFailure(error: unknown, asJson: boolean): ExitCode {
  const failure = error instanceof CommandFailure ? error : new CommandFailure(readMessage(error));
  const { exitCode, message, members, lines } = failure;
  if (asJson) console.error(JSON.stringify({ error: { message, ...members } }, undefined, 2));
  else for (const line of [message, ...lines]) console.error(plainText(line));
  return exitCode;
}

/** Some errors of Node have no message of their own. */
function readMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return readMessage(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
