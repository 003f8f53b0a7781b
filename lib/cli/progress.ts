// Shows the progress of a run in the terminal: nodes that start and end, output messages, and the text that
// models stream.
import { styleText } from 'node:util';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Json } from '#lib/json/json.ts';
import { plainText } from './plain-text.ts';

/** What is printed of a log entry, a reply and a piece of text, here or of a run of the service. */
interface Entry {
  readonly event: string;
  readonly level: LogEntry['level'];
  readonly message: string;
  readonly scope?: string | undefined;
  readonly duration_ms?: number | undefined;
}

interface Reply {
  readonly text?: string | undefined;
  readonly data?: Json | undefined;
  readonly file?: { readonly filename?: string | undefined } | undefined;
}

interface Piece {
  readonly key: string;
  readonly text: string;
  readonly chunk?: { readonly append: boolean } | undefined;
}

export interface Progress {
  readonly log: (entry: Entry) => void;
  readonly reply: (reply: Reply) => void;
  readonly text: (piece: Piece) => void;
}

/** Events that are not listed have the mark `·`. */
const marks: Readonly<Record<string, string>> = {
  run_started: '▶',
  reused: '=',
  started: '→',
  completed: '✓',
  retry: '↻',
  caught: '↪',
  failed: '✗',
  canceled: '✗',
  paused: '…',
  resumed: '→',
  run_completed: '■',
  run_failed: '✗',
  run_canceled: '✗',
  truncated: '…',
};

const colours = { info: 'dim', warn: 'yellow', error: 'red' } as const satisfies Record<
  LogEntry['level'],
  string
>;

export function createProgress(write: (text: string) => void): Progress {
  /** The key of the execution whose text the last line ends with. */
  let writing: string | undefined;
  const line = (text: string) => {
    write(`${writing === undefined ? '' : '\n'}${text}\n`);
    writing = undefined;
  };
  const coloured = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, plainText(text), { stream: process.stderr });
  return {
    log: ({ event, level, message, scope, duration_ms }: Entry) => {
      const where = scope === undefined ? '' : `[${scope}] `;
      const took = duration_ms === undefined ? '' : ` (${duration_ms} ms)`;
      line(coloured(colours[level], `${marks[event] ?? '·'} ${where}${message}${took}`));
    },
    reply: ({ text, data, file }: Reply) => {
      if (text !== undefined) line(coloured('cyan', `« ${text}`));
      if (data !== undefined) line(coloured('cyan', `« ${JSON.stringify(data)}`));
      if (file) line(coloured('cyan', `« a file${file.filename === undefined ? '' : `, ${file.filename}`}`));
    },
    text: ({ key, text, chunk }: Piece) => {
      if (text === '') return;
      const begins = writing !== key || chunk?.append === false;
      if (begins) line(coloured('magenta', `${key} writes${chunk ? ' to the caller' : ''}:`));
      writing = key;
      write(plainText(text));
    },
  };
}
