import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { rowFilter } from '#lib/registry/listing/filter.ts';
import { revise } from '#lib/registry/listing/postings.ts';
import { collectValues, parseWords, toValue } from '#lib/registry/listing/value.ts';
import type { AgentCardInput } from '#lib/registry/row/agent-card-input.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';

const skill = { id: 'echo', name: 'Echo', description: 'Repeats the message.' };

function rowSaying(some: Partial<AgentCardInput>) {
  const card = cardWithoutUrl({ name: 'Echo', description: 'Says it.', skills: [skill], ...some }, undefined);
  const said = { flowid: 'flow', visibility: 'organization' as const, tags: some.tags ?? [] };
  return { ...said, card: JSON.stringify(card) };
}

describe('a row is found', () => {
  test('by its visibility, its tags and modes, and the words of its card', () => {
    expect([...collectValues(rowSaying({ name: 'Refunds', tags: ['EU tickets'] }))]).toEqual(
      expect.arrayContaining([
        'VISIBILITY#organization',
        'TAG#eu tickets',
        'INPUT#text/plain',
        'OUTPUT#application/json',
        'TERM#refund',
        'TERM#ticket',
      ]),
    );
  });

  test('by every word of its card, and by no other, for any of forty agents', () => {
    const rows = sampleAgents.map((row) => ({ ...row, ...revise({}, row) }));
    const named = (q: string) => rows.filter(rowFilter({ q })).map((row) => row.flowid);
    expect(named('refunds')).toEqual(['refund-agent']);
    expect(named('contracts risk')).toEqual(['contract-review']);
    expect(named('contracts weather')).toEqual([]);
  });

  test('by long values as by short ones, with short keys', () => {
    const tag = 'Ä'.repeat(64);
    const value = toValue('TAG', tag.toLowerCase());
    expect(value.length).toBeLessThan(40);
    expect(collectValues(rowSaying({ tags: [tag] })).has(value)).toBe(true);
    expect(toValue('TAG', `${tag}.`)).not.toBe(value);
  });

  test('by 256 of its tags and 64 of its words at most', () => {
    const skills = Array.from({ length: 20 }, (_, s) => ({
      id: `s${s}`,
      name: 'Skill',
      description: Array.from({ length: 40 }, (_word, n) => `word${s}x${n}`).join(' '),
      tags: Array.from({ length: 30 }, (_tag, n) => `t${s}-${n}`),
    }));
    const values = [...collectValues(rowSaying({ skills }))];
    expect(values.filter((value) => value.startsWith('TAG#'))).toHaveLength(256);
    expect(values.filter((value) => value.startsWith('TERM#'))).toHaveLength(64);
  });
});

describe('a question', () => {
  test.each([
    ['the order status of my orders', ['TERM#order', 'TERM#status']],
    ['%*', []],
  ])('%s has the search words %j', (q, words) => {
    expect(parseWords(q)).toEqual(words);
  });
});

describe('a change', () => {
  test('adds new postings and removes obsolete ones, except those of another write', () => {
    const tags = fc.subarray(['a', 'b', 'c', 'd', 'e']);
    const history = fc.array(tags, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(history, (versions) => {
        const table = new Set<string>();
        let postings = {};
        const listKeys = (some: Readonly<Record<string, readonly string[]>>) =>
          Object.entries(some).flatMap(([write, values]) => values.map((value) => `${value} ${write}`));
        for (const each of versions) {
          const row = rowSaying({ tags: each });
          const { added, dropped, ...revised } = revise(postings, row);
          for (const key of listKeys(added)) expect(table.has(key)).toBe(false);
          for (const key of listKeys(added)) table.add(key);
          for (const key of listKeys(dropped)) expect(table.delete(key)).toBe(true);
          postings = revised.postings;
          expect([...table].sort()).toEqual(listKeys(postings).sort());
          expect(new Set(Object.values(postings).flat())).toEqual(collectValues(row));
        }
      }),
    );
  });

  test('of members that are not searched writes nothing', () => {
    const row = rowSaying({ tags: ['a'] });
    const { postings } = revise({}, row);
    expect(revise(postings, row)).toEqual({ postings, added: {}, dropped: {} });
  });
});
