// Shows the progress of a run in the terminal: nodes that start and end, output messages, and the text that
// models stream.
import { styleText } from 'node:util';
import type { Reply, TextPiece } from '#lib/flow/engine/output.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { plainText } from './plain-text.ts';

/** Events that are not listed have the mark `·`. */
const marks: Readonly<Partial<Record<LogEntry['event'], string>>> = {
  run_started: '▶',
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

export function createProgress(
  write: (text: string) => void,
): Required<Pick<Ports, 'log' | 'reply' | 'text'>> {
  /** The key of the execution whose text the last line ends with. */
  let writing: string | undefined;
  const line = (text: string) => {
    write(`${writing === undefined ? '' : '\n'}${text}\n`);
    writing = undefined;
  };
  const coloured = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, plainText(text), { stream: process.stderr });
  return {
    log: ({ event, level, message, scope, duration_ms }: LogEntry) => {
      const where = scope === undefined ? '' : `[${scope}] `;
      const took = duration_ms === undefined ? '' : ` (${duration_ms} ms)`;
      line(coloured(colours[level], `${marks[event] ?? '·'} ${where}${message}${took}`));
    },
    reply: ({ text, data, file }: Reply) => {
      if (text !== undefined) line(coloured('cyan', `« ${text}`));
      if (data !== undefined) line(coloured('cyan', `« ${JSON.stringify(data)}`));
      if (file) line(coloured('cyan', `« a file${file.filename === undefined ? '' : `, ${file.filename}`}`));
    },
    text: ({ key, text, chunk }: TextPiece) => {
      if (text === '') return;
      const begins = writing !== key || chunk?.append === false;
      if (begins) line(coloured('magenta', `${key} writes${chunk ? ' to the caller' : ''}:`));
      writing = key;
      write(plainText(text));
    },
  };
}
