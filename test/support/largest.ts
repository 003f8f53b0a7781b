// The largest cards, builds and keys that the schemas take: each grows until its limit is met, in an order
// and with letters that a property test chooses.
import fc from 'fast-check';
import type { AgentCardInput } from '#lib/registry/row/agent-card-input.ts';
import { bytesMax } from '#lib/registry/row/stored-row.ts';
import { card, createBody } from './builders.ts';

const parts = ['tags', 'inputModes', 'outputModes', 'examples', 'description'] as const;
type CardPart = (typeof parts)[number];

export interface Growth {
  /** Which part of the skills gets the bytes first. */
  readonly order: readonly CardPart[];
  /** What texts are made of: of one to four bytes in UTF-8. */
  readonly letter: string;
  /** Whether the card names its modes itself; else those of the skills are collected. */
  readonly namesModes: boolean;
}

export const growth: fc.Arbitrary<Growth> = fc.record({
  order: fc.shuffledSubarray([...parts], { minLength: parts.length }),
  letter: fc.constantFrom('a', 'é', '漢', '😀'),
  namesModes: fc.boolean(),
});

const skillsMax = 50;
/** What the published card has besides what was sent, with room for URLs. */
const reserve = 2_000;

/**
 * A card just below its limit of bytes: 50 skills, a description of 4,096 characters, and whatever else still
 * fits.
 */
function largestCard({ order, letter, namesModes }: Growth): AgentCardInput {
  const ofLength = (length: number, n = 0) => filled(`${n}-`, letter, length);
  const skills = Array.from({ length: skillsMax }, (_, n) => ({
    id: `skill-${n}`,
    name: ofLength(128, n),
    description: 'x',
    tags: [] as string[],
    examples: [] as string[],
    inputModes: ['text/plain'],
    outputModes: ['text/plain'],
  }));
  const grown = {
    ...card(),
    name: ofLength(128),
    description: ofLength(4_096),
    version: ofLength(64),
    tags: [ofLength(64)],
    provider: { organization: ofLength(128), url: `https://example.com/${'p'.repeat(2_000)}` },
    documentationUrl: `https://example.com/${'d'.repeat(2_000)}`,
    iconUrl: `https://example.com/${'i'.repeat(2_000)}`,
    skills,
    ...(namesModes && { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] }),
  };
  let left = bytesMax.card - reserve - countBytes(grown) - skillsMax * countBytes(grown.tags);
  const add = (list: string[], max: number, text: string, copies = 1) => {
    const bytes = (countBytes(text) + 1) * copies;
    if (list.length >= max || bytes > left) return;
    list.push(text);
    left -= bytes;
  };
  const grow: Record<CardPart, (skill: (typeof skills)[number], n: number) => void> = {
    tags: (skill, n) => times(30, (m) => add(skill.tags, 30, ofLength(64, n * 100 + m))),
    examples: (skill, n) => times(20, (m) => add(skill.examples, 20, ofLength(1_024, n * 100 + m))),
    inputModes: (skill, n) =>
      times(19, (m) => add(skill.inputModes, 20, mode(n * 100 + m), namesModes ? 1 : 2)),
    outputModes: (skill, n) =>
      times(19, (m) => add(skill.outputModes, 20, mode(n * 100 + m), namesModes ? 1 : 2)),
    description: (skill, n) => {
      const text = ofLength(2_048, n);
      if (countBytes(text) > left) return;
      skill.description = text;
      left -= countBytes(text);
    },
  };
  for (const part of order) skills.forEach(grow[part]);
  return grown;
}

/**
 * A build whose card, tool configuration and variables are all as large as they may be, and whose flow may
 * reach as many hosts as one can list.
 */
export function largestBuild(how: Growth): ReturnType<typeof createBody> {
  const hosts = Array.from(
    { length: 100 },
    (_, n) => `${'h'.repeat(60)}.${'g'.repeat(60)}.host-${n}.example.com`,
  );
  return createBody({
    flow_version: filled('', how.letter, 64),
    label: filled('', how.letter, 80),
    note: filled('', how.letter, 2_000),
    visibility: 'public',
    agent_card: largestCard(how),
    tool_config: { text: 't'.repeat(bytesMax.toolConfig - 20) },
    env_variable: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`NAME_${n}`, 'v'.repeat(4_000)])),
    flow: {
      version: 1,
      name: 'Echo',
      egress: hosts,
      start: 'done',
      nodes: { done: { type: 'end', output: { said: '{{ input.message }}' } } },
    },
  });
}

/** The longest workspace ids, as many as a key can name. */
export const workspacesOfLargestKey = Array.from({ length: 50 }, (_, n) => filled(`ws-${n}-`, 'w', 64));

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const mode = (n: number): string => filled(`text/mode-${n}-`, 'm', 127);

function times(count: number, act: (n: number) => void): void {
  for (let n = 0; n < count; n += 1) act(n);
}

/** A text with this number of UTF-16 code units, as the schemas count. */
function filled(start: string, letter: string, length: number): string {
  return start + letter.repeat(Math.floor((length - start.length) / letter.length));
}
