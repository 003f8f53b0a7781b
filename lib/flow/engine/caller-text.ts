// The text of a node that is for the caller, told as a model writes it: chunks that put together are the text of the node. Each answer that a
// model begins replaces what was told before, be it of another attempt, of a fallback, of a turn before, or of a process that died.
import { jsonBytes } from '#lib/json/size.ts';
import { limits } from '../format/limits.ts';
import type { TextChunk } from './output.ts';

/** For one attempt of a node. */
export interface CallerText {
  /** A model begins to answer; what hears the pieces of that answer. */
  readonly begin: () => (piece: string) => void;
  /** The text of the node, which has the last word. */
  readonly end: (text: string) => void;
}

export function createCallerText(tell: (text: string, chunk: TextChunk) => void): CallerText {
  /** Of the answer that was begun last. */
  let told: string | undefined;
  const say = (text: string, last_chunk: boolean) => {
    tell(text, { append: told !== undefined, last_chunk });
    told = (told ?? '') + text;
  };
  return {
    begin: () => {
      told = undefined;
      return (piece) => say(piece, false);
    },
    end: (text) => {
      // The node fails, as its output would be larger than any may be.
      if (jsonBytes(text, limits.variableBytes) > limits.variableBytes) return;
      if (told !== undefined && text.startsWith(told)) return say(text.slice(told.length), true);
      told = undefined;
      say(text, true);
    },
  };
}
