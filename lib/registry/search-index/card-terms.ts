// What a row is found by: the words of its card with their weights, and what it can be filtered by.
import { type AgentCard, type AgentExtension, agentCard } from '../row/agent-card.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { extractTerms } from './terms.ts';

export interface Facets {
  /** Lower case, as the modes are. */
  readonly tags: readonly string[];
  readonly input_modes: readonly string[];
  readonly output_modes: readonly string[];
}

/** Each is an item to write, and the lightest terms of a long text find nothing that is wanted. */
const termsMax = 64;

type Tagged = Pick<StoredRow, 'card' | 'tags' | 'untagged_skills'>;
export type Described = Tagged & Pick<StoredRow, 'flowid'>;

/** The words that a row is found by, here and in lists, heaviest first. */
export const heaviestTerms = (row: Described): [term: string, weight: number][] =>
  [...weighTerms(row)].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, termsMax);

export function readFacets(row: Tagged): Facets {
  const card = agentCard.parse(JSON.parse(row.card));
  const { skills } = card;
  return {
    tags: distinct([...row.tags, ...listOwnTags(row, skills)].map((tag) => tag.toLowerCase())),
    input_modes: distinct([...card.defaultInputModes, ...skills.flatMap((skill) => skill.inputModes ?? [])]),
    output_modes: distinct([
      ...card.defaultOutputModes,
      ...skills.flatMap((skill) => skill.outputModes ?? []),
    ]),
  };
}

/** Without those that the service has added. */
function listOwnTags({ untagged_skills = [] }: Tagged, skills: AgentCard['skills']): string[] {
  return skills.flatMap(({ id, tags }) => (untagged_skills.includes(id) ? [] : tags));
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/** The weight of a word in a field, and the usual number of words in the field. */
interface Field {
  readonly texts: readonly string[];
  readonly weight: number;
  readonly length: number;
}

function weighedFields(row: Described): Field[] {
  const { name, description, skills, capabilities } = agentCard.parse(JSON.parse(row.card));
  const tags = distinct([...row.tags, ...listOwnTags(row, skills)]);
  return [
    { texts: [name], weight: 6, length: 3 },
    { texts: tags, weight: 4, length: 6 },
    { texts: skills.map((skill) => skill.name), weight: 3, length: 6 },
    { texts: [row.flowid], weight: 2, length: 2 },
    { texts: [description], weight: 2, length: 20 },
    { texts: skills.map((skill) => skill.description), weight: 1.5, length: 30 },
    { texts: skills.flatMap((skill) => skill.examples ?? []), weight: 1, length: 20 },
    { texts: describeExtensions(capabilities.extensions), weight: 1, length: 20 },
  ];
}

/** A URI is found by its words, without those of its scheme and host, which name no subject. */
const describeExtensions = (extensions: readonly AgentExtension[] = []): string[] =>
  extensions.flatMap(({ uri, description = '' }) => [uri.replace(/^[^:]*:(\/\/[^/]*)?/, ''), description]);

/**
 * BM25F with fixed average lengths, so that a document's weights do not depend on any other document. Tenths,
 * as integers.
 */
function weighTerms(row: Described): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { texts, weight, length } of weighedFields(row)) {
    const terms = texts.flatMap(extractTerms);
    const norm = saturation * (1 - lengthEffect + (lengthEffect * terms.length) / length);
    for (const [term, count] of countTerms(terms)) {
      const part = (weight * count * (saturation + 1)) / (count + norm);
      weights.set(term, (weights.get(term) ?? 0) + part);
    }
  }
  return new Map([...weights].map(([term, weight]) => [term, Math.max(1, Math.round(weight * 10))]));
}

const saturation = 1.2;
const lengthEffect = 0.5;

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
