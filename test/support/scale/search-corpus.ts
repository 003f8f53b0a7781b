// What the first search of a process reads, by the number of agents that its caller may find.
import { markdownTable } from '../markdown-table.ts';

const readUnitBytes = 8_192; // Read as it was a moment ago.
const partitionReadUnits = 3_000;
/** A page of a query ends at 1 MB, and a call takes some 10 ms. */
const pageBytes = 1_048_576;
const pageSeconds = 0.01;
/** Words, weights and ids as objects take about three times their JSON. */
const heapFactor = 3;
const limits = { seconds: 25, bytes: 1_024 * 1_048_576 };

export function corpusTable(documentBytes: number): string {
  const rows = [1_000, 10_000, 100_000, 1_000_000].map((agents) => {
    const bytes = agents * documentBytes;
    const readUnits = Math.ceil(bytes / readUnitBytes);
    const seconds = Math.max(readUnits / partitionReadUnits, (bytes / pageBytes) * pageSeconds);
    const heap = bytes * heapFactor;
    const isPossible = seconds <= limits.seconds && heap <= limits.bytes;
    return [
      agents.toLocaleString('en-US'),
      readUnits.toLocaleString('en-US'),
      seconds < 1 ? seconds.toFixed(2) : seconds.toFixed(0),
      Math.ceil(heap / 1_048_576).toLocaleString('en-US'),
      isPossible ? 'yes' : 'no',
    ];
  });
  return markdownTable([['Agents', 'read units', 's', 'MB in memory', 'works'], ...rows]);
}
