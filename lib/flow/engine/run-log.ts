// The run's log: numbered, time-stamped, bounded. Beyond the bound entries are counted, and one entry says how many were left out.

import { limits } from '../format/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogEntry } from '../ports/log-entry.ts';
import { redacted, shortened } from './log-preview.ts';
import type { CompiledNode } from './node-context.ts';
import type { Ports } from './ports.ts';

type NodeEntry = Omit<LogEntry, 'seq' | 'time' | 'node_id' | 'node_type' | 'scope'>;

export interface RunLog {
  /** `path` is that of the node's scope, nothing at the root. */
  readonly node: (node: CompiledNode, path: string, entry: NodeEntry) => void;
  readonly run: (entry: NodeEntry) => void;
  /** The last entry of a run: always written, after the count of those that were not. */
  readonly last: (entry: NodeEntry) => void;
  /** Entries so far, also those left out: what a snapshot keeps. */
  readonly seq: () => number;
}

export function createLog(ports: Pick<Ports, 'clock' | 'log'>, from: number): RunLog {
  let seq = from;
  const time = timeOf(ports.clock);
  const write = (entry: NodeEntry, node?: CompiledNode, path = '') => {
    seq++;
    if (seq > limits.logEntriesMax) return;
    const named = node && { node_id: node.id, node_type: node.type };
    const inside = path !== '' && { scope: path.slice(0, -1) };
    ports.log({
      seq,
      time: time(),
      ...named,
      ...inside,
      ...entry,
      message: entry.level === 'info' ? entry.message : shown(entry.message),
    });
  };
  const leftOut = () => Math.max(0, seq - limits.logEntriesMax);
  return {
    node: (node, path, entry) => write(entry, node, path),
    run: (entry) => write(entry),
    last: (entry) => {
      const missing = leftOut();
      if (missing > 0) {
        const message = `${missing} more ${missing === 1 ? 'entry was' : 'entries were'} left out.`;
        ports.log({
          seq: ++seq,
          time: time(),
          level: 'warn',
          event: 'truncated',
          status: 'running',
          message,
        });
      }
      ports.log({ seq: ++seq, time: time(), ...entry, message: shown(entry.message) });
    },
    seq: () => seq,
  };
}

/** Errors may quote anything. What other entries show of values comes from `preview`, which has seen to it. */
const shown = (message: string) => shortened(redacted(message), limits.previewCharsMax);

/** Entries of the same millisecond share the text of their time. */
function timeOf(clock: Clock): () => string {
  let ms = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== ms) text = new Date(now).toISOString();
    ms = now;
    return text;
  };
}
