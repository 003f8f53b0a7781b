// How a script of `bin/` fails: it prints one line with the reason and exits with code 1.
import { plainText } from './plain-text.ts';

/** `what` says what failed, such as "The demo failed", unless the error says so; `hint` is a sentence. */
export function giveUp(error: unknown, what?: string, hint?: string): never {
  console.error([what && `${what}:`, oneLine(error), hint].filter(Boolean).join(' '));
  process.exit(1);
}

/**
 * Returns what `check` does. The `Error` with which it names mistakes of an operator is printed as it is, a line for
 * each, without a stack trace. Errors of other classes are defects.
 */
export function orGiveUp<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** For scripts that operators run with their own AWS credentials. */
export const giveUpOnAws = (error: unknown, what: string): never =>
  giveUp(
    error,
    what,
    'The region and credentials come from the environment, as for the AWS CLI; ' +
      '`. .local/data/aws.env` sets them for a running `npm start`.',
  );

/** The message as one sentence. Some errors of Node and of the AWS SDK have no message of their own. */
function oneLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return oneLine(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
