import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signedForms } from '#lib/registry/card/card-signatures.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { agentCardInput } from '#lib/registry/row/agent-card-input.ts';
import { canonicalCard } from '#test/support/cards.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((one) => one.trim() !== '');
const texts = fc.array(text, { maxLength: 3 });
const modes = fc.constantFrom(['text/plain'], ['image/png', 'application/json']);
const skill = fc.record(
  { id: text, name: text, description: text, tags: texts, examples: texts, inputModes: modes },
  { requiredKeys: ['id', 'name', 'description'] },
);
const extension = fc.record(
  {
    uri: fc.webUrl().filter((uri) => !uri.includes(',')),
    description: text,
    required: fc.boolean(),
    params: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
  },
  { requiredKeys: ['uri'] },
);
const input = fc
  .record(
    {
      name: text,
      description: text,
      version: text,
      skills: fc.array(skill, { minLength: 1, maxLength: 3 }),
      tags: texts,
      provider: fc.record({ organization: text, url: fc.constant('https://a.example') }),
      iconUrl: fc.constant('https://a.example/icon.png'),
      defaultOutputModes: modes,
      capabilities: fc.record({ extensions: fc.array(extension, { maxLength: 3 }) }),
    },
    { requiredKeys: ['name', 'description', 'skills'] },
  )
  .map((value) => agentCardInput.safeParse(value))
  .filter(({ success }) => success);

describe('the forms of a card that are signed', () => {
  test('the first is the canonical form of the specification, for every card that can be registered', () => {
    fc.assert(
      fc.property(input, ({ data }) => {
        if (!data) return;
        const card = cardWithoutUrl(data, undefined);
        expect(signedForms(card)[0]).toBe(canonicalCard(JSON.parse(JSON.stringify(card))));
      }),
    );
  });

  test('there is one more, without the security schemes, for the client of the JavaScript SDK', () => {
    const skills = [{ id: 'echo', name: 'Echo', description: 'Repeats.' }];
    const forms = signedForms(cardWithoutUrl({ name: 'Echo', description: 'Says it.', skills }, '1.0.0'));
    expect(forms.map((form) => JSON.parse(form))).toEqual([
      expect.objectContaining({
        securitySchemes: expect.anything(),
        securityRequirements: expect.anything(),
      }),
      expect.objectContaining({ securityRequirements: expect.anything() }),
    ]);
    expect(forms[1]).not.toContain('securitySchemes');
  });

  test('signatures are not part of them', () => {
    const skills = [{ id: 'echo', name: 'Echo', description: 'Repeats.' }];
    const card = cardWithoutUrl({ name: 'Echo', description: 'Says it.', skills }, '1.0.0');
    const signatures = [{ protected: 'x', signature: 'y' }];
    expect(signedForms(agentCard.parse({ ...card, signatures }))).toEqual(signedForms(card));
  });
});
