// Streams the text of a node to the caller while a model writes it, in chunks that together are the text of
// the node. Each answer that a model begins replaces what was sent before, be it by another attempt, a
// fallback model, an earlier turn or a process that died.
import { jsonBytes } from '#lib/json/size.ts';
import { limits } from '../format/limits.ts';
import type { TextChunk } from './output.ts';

/** Streams the text of one attempt of a node. */
export interface CallerText {
  /** Call it when a model begins to answer. It returns the receiver of the pieces of that answer. */
  readonly begin: () => (piece: string) => void;
  /** The final text of the node. */
  readonly end: (text: string) => void;
}

export function createCallerText(send: (text: string, chunk: TextChunk) => void): CallerText {
  /** What was sent so far of the current answer. */
  let sent: string | undefined;
  const write = (text: string, last_chunk: boolean) => {
    send(text, { append: sent !== undefined, last_chunk });
    sent = (sent ?? '') + text;
  };
  return {
    begin: () => {
      sent = undefined;
      return (piece) => write(piece, false);
    },
    end: (text) => {
      // The node is going to fail, because its output is too large.
      if (jsonBytes(text, limits.variableBytes) > limits.variableBytes) return;
      if (sent !== undefined && text.startsWith(sent)) return write(text.slice(sent.length), true);
      sent = undefined;
      write(text, true);
    },
  };
}
