// Streams the text of a node to the caller while a model writes it, in chunks that together are the text of the node. Each answer that a model
// begins replaces what was sent before, whether by another attempt, a fallback model, an earlier turn or a process that died.
import { jsonBytes } from '#lib/json/size.ts';
import { limits } from '../format/limits.ts';
import type { TextChunk } from './output.ts';

/** For one attempt of a node. */
export interface CallerText {
  /** A model begins to answer. Returns the receiver of the pieces of that answer. */
  readonly begin: () => (piece: string) => void;
  /** The final text of the node. */
  readonly end: (text: string) => void;
}

export function createCallerText(send: (text: string, chunk: TextChunk) => void): CallerText {
  /** What was sent of the answer that began last. */
  let sent: string | undefined;
  const say = (text: string, last_chunk: boolean) => {
    send(text, { append: sent !== undefined, last_chunk });
    sent = (sent ?? '') + text;
  };
  return {
    begin: () => {
      sent = undefined;
      return (piece) => say(piece, false);
    },
    end: (text) => {
      // The node fails, as its output would be larger than any may be.
      if (jsonBytes(text, limits.variableBytes) > limits.variableBytes) return;
      if (sent !== undefined && text.startsWith(sent)) return say(text.slice(sent.length), true);
      sent = undefined;
      say(text, true);
    },
  };
}
