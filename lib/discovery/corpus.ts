// The documents of one partition in memory, with an inverted index over them. Grows and shrinks by single
// documents.
import type { SearchDocument } from '#lib/registry/search-index/document.ts';

export interface Corpus {
  readonly size: () => number;
  /** A document replaces the one under the same key. */
  readonly put: (key: string, document: SearchDocument) => void;
  readonly remove: (key: string) => void;
  readonly documents: () => readonly SearchDocument[];
  /** By the term; by all that begin with it, which weigh half, if no document has it. */
  readonly matches: (term: string) => readonly Match[];
}

export interface Match {
  readonly document: SearchDocument;
  readonly weight: number;
}

export function newCorpus(): Corpus {
  const slotByKey = new Map<string, number>();
  /** The slot of a document that was replaced or removed stays empty. */
  const slots: (SearchDocument | undefined)[] = [];
  /** Term → slot, weight, slot, weight, …: flat, as ten thousand documents have half a million entries. */
  const postings = new Map<string, number[]>();

  function remove(key: string): void {
    const slot = slotByKey.get(key);
    if (slot === undefined) return;
    slots[slot] = undefined;
    slotByKey.delete(key);
  }

  function put(key: string, document: SearchDocument): void {
    // Changes of the last minute are read again and again.
    if (isSame(slots[slotByKey.get(key) ?? -1], document)) return;
    remove(key);
    const slot = slots.push(document) - 1;
    slotByKey.set(key, slot);
    for (const [term, weight] of weightedTerms(document)) {
      const list = postings.get(term);
      if (list) list.push(slot, weight);
      else postings.set(term, [slot, weight]);
    }
  }

  function read(term: string, share: number): Match[] {
    const list = postings.get(term) ?? [];
    const found: Match[] = [];
    for (let n = 0; n < list.length; n += 2) {
      const document = slots[list[n] ?? -1];
      if (document) found.push({ document, weight: (list[n + 1] ?? 0) * share });
    }
    return found;
  }

  /** Of several terms that begin alike, the document has the heaviest. */
  function matches(term: string): Match[] {
    const exact = read(term, 1);
    if (exact.length > 0 || term.length < prefixMin) return exact;
    const best = new Map<SearchDocument, Match>();
    for (const other of findLonger(postings.keys(), term)) {
      for (const match of read(other, prefixShare)) {
        if ((best.get(match.document)?.weight ?? 0) < match.weight) best.set(match.document, match);
      }
    }
    return [...best.values()];
  }

  const documents = () => slots.filter((document) => document !== undefined);
  return { size: () => slotByKey.size, put, remove, documents, matches };
}

/** Shorter beginnings say too little. */
const prefixMin = 3;
const prefixShare = 0.5;
/** Bounds the work for a beginning that many terms have. */
const longerMax = 100;

function findLonger(terms: Iterable<string>, beginning: string): string[] {
  const found: string[] = [];
  for (const term of terms) {
    if (!term.startsWith(beginning)) continue;
    found.push(term);
    if (found.length === longerMax) break;
  }
  return found;
}

const isSame = (held: SearchDocument | undefined, document: SearchDocument): boolean =>
  held !== undefined && JSON.stringify(held) === JSON.stringify(document);

function weightedTerms({ terms }: SearchDocument): [term: string, weight: number][] {
  return terms.split(' ').map((entry) => {
    const colon = entry.lastIndexOf(':');
    return [entry.slice(0, colon), Number(entry.slice(colon + 1))];
  });
}
