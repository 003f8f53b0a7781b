// What a run has said and nobody has written yet.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { StoredEvent } from './stored.ts';

/** An item may have 400 KB. */
const eventBytesMax = 300_000;

export function createPending() {
  const logs: LogEntry[] = [];
  const replies: Reply[] = [];
  return {
    log: (entry: LogEntry) => void logs.push(entry),
    reply: (reply: Reply) => void replies.push(reply),
    isEmpty: () => logs.length + replies.length === 0,
    fitsOneEvent: () => bytesOf(logs) + bytesOf(replies) <= eventBytesMax,
    /** Takes as much as fits one event, oldest first. */
    drain: (): Pick<StoredEvent, 'logs' | 'replies'> => {
      const [someLogs, someReplies] = [take(logs), take(replies)];
      return { ...(someLogs && { logs: someLogs }), ...(someReplies && { replies: someReplies }) };
    },
  };
}

function take(entries: (LogEntry | Reply)[]): string | undefined {
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    bytes += bytesOf(entry);
    if (count > 0 && bytes > eventBytesMax / 2) break;
    count += 1;
  }
  return count > 0 ? JSON.stringify(entries.splice(0, count)) : undefined;
}

const bytesOf = (value: unknown) => JSON.stringify(value).length;
