// The search documents of a partition as this process knows them: read whole once, and then only what has
// changed since.
import { LRUCache } from 'lru-cache';
import { type Corpus, newCorpus } from './corpus.ts';
import { readDocuments, readDocumentsSince } from './document-items.ts';

interface Snapshot {
  readonly corpus: Corpus;
  /** Ms since 1970: when it was last brought up to date. */
  asOf: number;
}

/**
 * Counted in documents, each about 2 KB of memory with its part of the index. A read of changes does not show
 * deleted documents, so everything is read again from time to time.
 */
const snapshots = new LRUCache<string, Snapshot>({
  maxSize: 50_000,
  maxEntrySize: 50_000,
  sizeCalculation: ({ corpus }) => corpus.size() + 1,
  ttl: 600_000,
});

/**
 * A change carries the time when its request began: it is committed 20 s later at most, by a clock that may
 * be wrong by some seconds.
 */
const overlapMs = 60_000;

/**
 * `now` is in ms since 1970. What it holds is a candidate only: the caller reads the row before it shows
 * anything.
 */
export async function loadCorpus(partition: string, now: number): Promise<Corpus> {
  const known = snapshots.get(partition);
  if (!known) return await readCorpus(partition, now);
  const since = new Date(known.asOf - overlapMs).toISOString();
  for (const { key, document } of await readDocumentsSince(partition, since)) known.corpus.put(key, document);
  known.asOf = Math.max(known.asOf, now);
  return known.corpus;
}

async function readCorpus(partition: string, now: number): Promise<Corpus> {
  const corpus = newCorpus();
  for (const { key, document } of await readDocuments(partition)) corpus.put(key, document);
  snapshots.set(partition, { corpus, asOf: now });
  return corpus;
}
