// What a search reads, by the number of agents that its caller may find.
import { postingsMax } from '#lib/discovery/live-words.ts';
import { markdownTable } from '../markdown-table.ts';

export interface Postings {
  /** Of an agent with one skill. */
  readonly count: number;
  /** Of one posting. */
  readonly bytes: number;
}

const readUnitBytes = 8_192; // Read as it was a moment ago.
const partitionReadUnits = 3_000;
const words = 3;
const scopes = 2;
/** The pointers of a page of ten and one more, and their rows of up to 4 KB. */
const pageUnits = 22;

/** Of three words that all agents have, which is the most that three words can take. */
export function searchTable({ count, bytes }: Postings): string {
  const rows = [1_000, 10_000, 100_000, 1_000_000].map((agents) => {
    const wordUnits = Math.ceil((Math.min(agents, postingsMax) * bytes) / readUnitBytes);
    return [
      agents.toLocaleString('en-US'),
      Math.ceil((agents * count * bytes) / 1_048_576).toLocaleString('en-US'),
      String(words * scopes + 2),
      String(words * scopes * wordUnits + pageUnits),
      Math.floor(partitionReadUnits / wordUnits).toLocaleString('en-US'),
    ];
  });
  const titles = ['Agents', 'MB of postings', 'calls', 'read units', 'searches a second'];
  return markdownTable([titles, ...rows]);
}
