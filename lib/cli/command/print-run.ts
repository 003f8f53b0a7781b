// Prints a run of the service while it is followed, as `run` prints one that runs here.

import type { RunEvent } from '../api/follow.ts';
import { printJson } from '../print.ts';
import { createProgress } from '../progress.ts';

type Entry = RunEvent['logs'][number];
type Text = RunEvent['texts'][number];

/** Removes what the first execution of the node has written, which is the one that this entry is of. */
function takeTextsOf({ node_id, scope }: Entry, texts: Text[]): readonly Text[] {
  if (node_id === undefined) return [];
  const prefix = scope === undefined ? `${node_id}.` : `${scope}.${node_id}.`;
  const isOfNode = ({ key }: Text) => key.startsWith(prefix) && /^\d+$/.test(key.slice(prefix.length));
  const key = texts.find(isOfNode)?.key;
  const taken = texts.filter((each) => each.key === key);
  for (const each of taken) texts.splice(texts.indexOf(each), 1);
  return taken;
}

/** Progress goes to stderr, the end to stdout. */
export function createRunPrinter() {
  const progress = createProgress((text) => process.stderr.write(text));
  return {
    event: ({ logs, replies, texts }: RunEvent): void => {
      const unprinted = [...texts];
      for (const entry of logs) {
        // The service sends both in one event, without the order between them: a node writes before it ends.
        if (entry.event !== 'started') for (const each of takeTextsOf(entry, unprinted)) progress.text(each);
        progress.log(entry);
      }
      for (const each of unprinted) progress.text(each);
      for (const each of replies) progress.reply(each);
    },
    end: ({ status, response, error, failure, input_requests, needs }: RunEvent): void =>
      printJson({ status, response, error, failure, input_requests, needs }),
  };
}
