import { describe, expect, test } from 'vitest';
import { agentCard, agentCardInput, publishCard } from '#lib/registry/row/agent-card.ts';

const skill = { id: 's', name: 'S', description: 'Does it.' };
const input = (some: object = {}) =>
  agentCardInput.parse({ name: 'A', description: 'An agent.', skills: [skill], ...some });
const publish = (some: object = {}) =>
  publishCard(input(some), { url: 'https://a.example.com/', version: '1.0.0' });

describe('a published card', () => {
  test('is valid by our schema, and can be sent back unchanged', () => {
    const card = publish();
    expect(agentCard.parse(card)).toEqual(card);
    expect(publishCard(input(card), { url: 'https://a.example.com/', version: '1.0.0' })).toEqual(card);
  });

  test('has each tag of the card in every skill once', () => {
    const skills = [
      { ...skill, tags: ['a', 'b'] },
      { ...skill, id: 't' },
    ];
    expect(publish({ skills, tags: ['b', 'c'] }).skills.map(({ tags }) => tags)).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    expect(publish().skills[0]?.tags).toEqual(['agent']);
  });

  test('collects the modes of its skills, with a default if none has any', () => {
    const skills = [
      { ...skill, inputModes: ['text/plain'], outputModes: ['image/png'] },
      { ...skill, id: 't', inputModes: ['text/plain', 'application/json'] },
    ];
    expect(publish({ skills })).toMatchObject({
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['image/png'],
    });
    expect(publish()).toMatchObject({
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['application/json'],
    });
    expect(publish({ defaultInputModes: ['image/png'] }).defaultInputModes).toEqual(['image/png']);
  });

  test('keeps its own version, or else has that of the flow', () => {
    expect(publish({ version: '7' }).version).toBe('7');
    expect(publish().version).toBe('1.0.0');
  });

  test('takes its URL, capabilities and security only from the service', () => {
    const forged = {
      supportedInterfaces: [{ url: 'https://evil.example.com' }],
      capabilities: { x: 1 },
      securitySchemes: {},
      signatures: ['x'],
    };
    expect(publish(forged)).toEqual(publish());
  });
});

describe('a card is refused with', () => {
  test.each<[string, object]>([
    ['no name', { name: '' }],
    ['a name of white space', { name: '  ' }],
    ['a long name', { name: 'x'.repeat(129) }],
    ['no skills', { skills: [] }],
    ['too many skills', { skills: Array.from({ length: 51 }, () => skill) }],
    ['a mode that is no MIME type', { defaultInputModes: ['text'] }],
    ['a script as its address', { documentationUrl: 'javascript:alert(1)' }],
    ['an unknown member', { colour: 'red' }],
    ['an unknown member of a skill', { skills: [{ ...skill, colour: 'red' }] }],
  ])('%s', (_what, some) => {
    expect(
      agentCardInput.safeParse({ name: 'A', description: 'An agent.', skills: [skill], ...some }).success,
    ).toBe(false);
  });
});
