// How a script of `bin/` ends that cannot do what it is asked: with one line that says why, and exit code 1.
import { plainText } from './plain-text.ts';

/** `what` went wrong, such as "The demo failed", unless the reason says so itself; `hint` is a sentence. */
export function giveUp(error: unknown, what?: string, hint?: string): never {
  console.error([what && `${what}:`, oneLine(error), hint].filter(Boolean).join(' '));
  process.exit(1);
}

/** For scripts that an operator runs with their own credentials. */
export const giveUpOnAws = (error: unknown, what: string): never =>
  giveUp(
    error,
    what,
    'Region and credentials are those of the environment, as for the AWS command line; `. .local/data/aws.env` sets them for a running `npm start`.',
  );

/** Not more than a person needs, as a sentence. Some errors of Node and of the AWS SDK have no message of their own. */
function oneLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return oneLine(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
