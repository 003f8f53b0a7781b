// What a run has said and nobody has written yet.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { StoredEvent } from './stored.ts';
import type { Usage } from './usage.ts';

/** Of logs, replies and response together: an item may have 400 KB. */
const eventBytesMax = 350_000;
/** Of logs and of replies in one event. A single reply may be larger, as large as a value of a flow. */
const partBytesMax = 100_000;

export function createPending() {
  const logs: LogEntry[] = [];
  const replies: Reply[] = [];
  const used: Usage[] = [];
  return {
    log: (entry: LogEntry) => void logs.push(entry),
    reply: (reply: Reply) => void replies.push(reply),
    use: (usage: Usage) => void used.push(usage),
    isEmpty: () => logs.length + replies.length + used.length === 0,
    /** Whether one event takes all of it, beside so many bytes of other content. */
    fitsOneEvent: (besideBytes: number) => {
      const bytes = [bytesOf(logs), bytesOf(replies), bytesOf(used)];
      return bytes.every((each) => each <= partBytesMax) && sum(bytes) + besideBytes <= eventBytesMax;
    },
    /** Takes as much as fits one event, oldest first. */
    drain: (): Pick<StoredEvent, 'logs' | 'replies' | 'usage'> => {
      const [someLogs, someReplies, usage] = [take(logs), take(replies), take(used)];
      return {
        ...(someLogs && { logs: someLogs }),
        ...(someReplies && { replies: someReplies }),
        ...(usage && { usage }),
      };
    },
  };
}

function take(entries: (LogEntry | Reply | Usage)[]): string | undefined {
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    bytes += bytesOf(entry);
    if (count > 0 && bytes > partBytesMax) break;
    count += 1;
  }
  return count > 0 ? JSON.stringify(entries.splice(0, count)) : undefined;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** As DynamoDB counts: UTF-8. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
