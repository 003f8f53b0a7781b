// Buffers what a run puts out, and cuts it into pieces that fit one event.
import { toTextReply } from '#lib/flow/engine/artifacts.ts';
import type { TextChunk, TextPiece } from '#lib/flow/engine/output.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Usage } from '#lib/model/usage.ts';
import type { OutputMessage } from './output.ts';
import type { StoredEvent } from './stored-run.ts';

/** Logs, replies and response of one event together: an item may have 400 KB. */
const eventBytesMax = 350_000;
/**
 * Logs in one event, and replies in one event. A single reply may be larger, as large as a value of a flow.
 */
const listBytesMax = 100_000;
/** Text in one entry. */
const textCharsMax = 10_000;

export type EventBuffer = ReturnType<typeof createEventBuffer>;

/** What a run has put out and nobody has written yet. */
export function createEventBuffer() {
  const logs: LogEntry[] = [];
  const replies: OutputMessage[] = [];
  const used: Usage[] = [];
  const texts: TextPiece[] = [];
  return {
    log: (entry: LogEntry) => void logs.push(entry),
    reply: (message: OutputMessage) => void replies.push(message),
    use: (usage: Usage) => void used.push(usage),
    /**
     * Text for the caller is delivered like any chunk of an artifact; other text is only for those who watch
     * the run.
     */
    text: ({ chunk, ...piece }: TextPiece) => {
      const parts = splitText(piece.text);
      for (const [n, text] of parts.entries()) {
        if (chunk) addChunk(replies, { ...piece, text }, splitChunk(chunk, n, parts.length));
        else addText(texts, { ...piece, text });
      }
    },
    isEmpty: () => logs.length + replies.length + used.length + texts.length === 0,
    /** Whether one event takes all of it, beside so many bytes of other content. */
    fitsOneEvent: (besideBytes: number) => {
      const bytes = [jsonBytes(logs), jsonBytes(replies), jsonBytes(used), jsonBytes(texts)];
      return bytes.every((each) => each <= listBytesMax) && sum(bytes) + besideBytes <= eventBytesMax;
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

/** A model may deliver its whole answer at once, for which no event has room. Characters are kept whole. */
const splitText = (text: string): readonly string[] => text.match(/.{1,10000}/gsu) ?? [text];

const splitChunk = (whole: TextChunk, n: number, count: number): TextChunk => ({
  append: whole.append || n > 0,
  last_chunk: whole.last_chunk && n === count - 1,
});

/** Consecutive pieces of one execution of a node are joined. */
function addText(texts: TextPiece[], piece: TextPiece): void {
  const last = texts.at(-1);
  const isMore = last?.key === piece.key && last.text.length < textCharsMax;
  texts.push(isMore ? { ...piece, text: `${texts.pop()?.text}${piece.text}` } : piece);
}

/** Chunks of one artifact are joined, also where several artifacts are written at the same time. */
function addChunk(replies: OutputMessage[], piece: TextPiece, chunk: TextChunk): void {
  const { key, text } = piece;
  const at = replies.findLastIndex(({ artifact }) => artifact?.artifact_id === key);
  const before = replies[at];
  const whole = `${before?.text ?? ''}${text}`;
  if (before?.artifact && before.key === undefined && chunk.append && whole.length <= textCharsMax)
    replies[at] = { ...before, text: whole, artifact: { ...before.artifact, last_chunk: chunk.last_chunk } };
  else replies.push(toTextReply(piece, chunk));
}

/** Entries that do not fit wait for the next event. An empty event takes an entry of any size. */
function take(
  entries: (LogEntry | OutputMessage | Usage | TextPiece)[],
  room: { left: number },
): string | undefined {
  const isEmpty = room.left === eventBytesMax;
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    const more = bytes + jsonBytes(entry);
    const isRoom = more <= Math.min(room.left, count > 0 ? listBytesMax : room.left);
    if (!isRoom && !(isEmpty && count === 0)) break;
    bytes = more;
    count += 1;
  }
  room.left -= bytes;
  return count > 0 ? JSON.stringify(entries.splice(0, count)) : undefined;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
