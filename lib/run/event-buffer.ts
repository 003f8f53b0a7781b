// What a run has said and nobody has written yet.
import { textHanded } from '#lib/flow/engine/artifacts.ts';
import type { TextChunk, TextPiece } from '#lib/flow/engine/output.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Said } from './output.ts';
import type { StoredEvent } from './stored-run.ts';
import type { Usage } from './usage.ts';

/** Of logs, replies and response together: an item may have 400 KB. */
const eventBytesMax = 350_000;
/** Of logs and of replies in one event. A single reply may be larger, as large as a value of a flow. */
const partBytesMax = 100_000;
/** Of one entry of texts. */
const textCharsMax = 10_000;

export function createPending() {
  const logs: LogEntry[] = [];
  const replies: Said[] = [];
  const used: Usage[] = [];
  const texts: TextPiece[] = [];
  return {
    log: (entry: LogEntry) => void logs.push(entry),
    reply: (reply: Said) => void replies.push(reply),
    use: (usage: Usage) => void used.push(usage),
    /** What is for the caller is handed over like any chunk of an artifact; the rest is for who watches the run. */
    text: ({ chunk, ...piece }: TextPiece) => {
      const parts = partsOf(piece.text);
      for (const [n, text] of parts.entries()) {
        if (chunk) addChunk(replies, { ...piece, text }, chunkOf(chunk, n, parts.length));
        else addText(texts, { ...piece, text });
      }
    },
    isEmpty: () => logs.length + replies.length + used.length + texts.length === 0,
    /** Whether one event takes all of it, beside so many bytes of other content. */
    fitsOneEvent: (besideBytes: number) => {
      const bytes = [jsonBytes(logs), jsonBytes(replies), jsonBytes(used), jsonBytes(texts)];
      return bytes.every((each) => each <= partBytesMax) && sum(bytes) + besideBytes <= eventBytesMax;
    },
    /** Takes as much as fits one event, oldest first. */
    drain: (): Pick<StoredEvent, 'logs' | 'replies' | 'usage' | 'texts'> => {
      const room = { left: eventBytesMax };
      const [someLogs, someReplies] = [take(logs, room), take(replies, room)];
      const [usage, someTexts] = [take(used, room), take(texts, room)];
      return {
        ...(someLogs && { logs: someLogs }),
        ...(someReplies && { replies: someReplies }),
        ...(usage && { usage }),
        ...(someTexts && { texts: someTexts }),
      };
    },
  };
}

/** A model may say all at once, which no event has room for. By whole characters. */
const partsOf = (text: string): readonly string[] => text.match(/.{1,10000}/gsu) ?? [text];

const chunkOf = (whole: TextChunk, n: number, count: number): TextChunk => ({
  append: whole.append || n > 0,
  last_chunk: whole.last_chunk && n === count - 1,
});

/** Pieces of one visit that come one after the other are one. */
function addText(texts: TextPiece[], piece: TextPiece): void {
  const last = texts.at(-1);
  const isMore = last?.key === piece.key && last.text.length < textCharsMax;
  texts.push(isMore ? { ...piece, text: `${texts.pop()?.text}${piece.text}` } : piece);
}

/** Of texts that are written beside each other too, what has come of one is one chunk. */
function addChunk(replies: Said[], piece: TextPiece, chunk: TextChunk): void {
  const { key, text } = piece;
  const at = replies.findLastIndex(({ artifact }) => artifact?.artifact_id === key);
  const before = replies[at];
  const whole = `${before?.text ?? ''}${text}`;
  if (before?.artifact && before.key === undefined && chunk.append && whole.length <= textCharsMax)
    replies[at] = { ...before, text: whole, artifact: { ...before.artifact, last_chunk: chunk.last_chunk } };
  else replies.push(textHanded(piece, chunk));
}

/** What finds no room waits for the next event. An empty one has room for an entry of any size. */
function take(entries: (LogEntry | Said | Usage | TextPiece)[], room: { left: number }): string | undefined {
  const isEmpty = room.left === eventBytesMax;
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    const more = bytes + jsonBytes(entry);
    const isRoom = more <= Math.min(room.left, count > 0 ? partBytesMax : room.left);
    if (!isRoom && !(isEmpty && count === 0)) break;
    bytes = more;
    count += 1;
  }
  room.left -= bytes;
  return count > 0 ? JSON.stringify(entries.splice(0, count)) : undefined;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
