// Prints a run of the service while it is followed, as `run` prints one that runs here.

import type { RunEvent } from '../api/follow.ts';
import { printJson } from '../print.ts';
import { createProgress } from '../progress.ts';

/** Progress goes to stderr, the end to stdout. */
export function createRunPrinter() {
  const progress = createProgress((text) => process.stderr.write(text));
  return {
    event: ({ logs, replies, texts }: RunEvent): void => {
      for (const each of logs) progress.log(each);
      for (const each of texts) progress.text(each);
      for (const each of replies) progress.reply(each);
    },
    end: ({ status, response, error, failure, input_requests, needs }: RunEvent): void =>
      printJson({ status, response, error, failure, input_requests, needs }),
  };
}
