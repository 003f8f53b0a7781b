import { describe, expect, test } from 'vitest';
import { agentCard, buildExtension } from '#lib/registry/row/agent-card.ts';
import { agentCardInput, publishCard } from '#lib/registry/row/agent-card-input.ts';

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
  });

  test('has the id of a skill as its tag where the author gave none, and nothing that nobody said', () => {
    expect(publish().skills.map(({ id, tags }) => [id, tags])).toEqual([[skill.id, [skill.id]]]);
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
      capabilities: { streaming: false, pushNotifications: 'no', extendedAgentCard: null },
      securitySchemes: {},
      signatures: ['x'],
    };
    expect(publish(forged)).toEqual(publish());
  });

  test('has the extensions that were sent, without default values, and not that of the extended card', () => {
    const extensions = [
      {
        uri: 'https://a.example/x/v1',
        description: 'Where.',
        required: true,
        params: { units: ['km', 0, ''] },
      },
      { uri: 'urn:example:citations', required: false },
      { uri: 'HTTPS://a.example/x/v1?a=%20&b=(1)#c', params: {} },
      { uri: buildExtension, params: { build_no: 7 } },
    ];
    const card = publish({ capabilities: { extensions } });
    expect(card.capabilities).toEqual({
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [extensions[0], { uri: 'urn:example:citations' }, extensions[2]],
    });
    expect(publish(card)).toEqual(card);
    expect(publish({ capabilities: { extensions: [] } })).toEqual(publish());
  });
});

describe('an extension is refused, and the field is named, for', () => {
  const uri = 'https://a.example/x/v1';
  const uris = (count: number) => Array.from({ length: count }, (_, n) => ({ uri: `${uri}/${n}` }));
  test.each<[string, unknown, (string | number)[]]>([
    ['capabilities that are a list', [], []],
    ['an unknown capability', { extention: [] }, []],
    ['extensions that are no list', { extensions: { uri } }, ['extensions']],
    ['more than 20', { extensions: uris(21) }, ['extensions']],
    ['no URI', { extensions: [{}] }, ['extensions', 0, 'uri']],
    ['a relative URI', { extensions: [{ uri: '/x/v1' }] }, ['extensions', 0, 'uri']],
    ['a comma in a URI', { extensions: [{ uri: `${uri},b` }] }, ['extensions', 0, 'uri']],
    ['white space in a URI', { extensions: [{ uri: `${uri} b` }] }, ['extensions', 0, 'uri']],
    ['a line break in a URI', { extensions: [{ uri: `${uri}\n` }] }, ['extensions', 0, 'uri']],
    ['a URI that is not ASCII', { extensions: [{ uri: 'https://ä.example' }] }, ['extensions', 0, 'uri']],
    ['a long URI', { extensions: [{ uri: uri.padEnd(257, 'x') }] }, ['extensions', 0, 'uri']],
    ['a URI twice', { extensions: [{ uri }, ...uris(1), { uri }] }, ['extensions', 2, 'uri']],
    ['a text for `required`', { extensions: [{ uri, required: 'yes' }] }, ['extensions', 0, 'required']],
    ['an empty description', { extensions: [{ uri, description: '' }] }, ['extensions', 0, 'description']],
    [
      'a long description',
      { extensions: [{ uri, description: 'x'.repeat(1_025) }] },
      ['extensions', 0, 'description'],
    ],
    ['parameters that are a list', { extensions: [{ uri, params: [] }] }, ['extensions', 0, 'params']],
    [
      'parameters of more than 16 KiB',
      { extensions: [{ uri, params: { a: 'x'.repeat(16_377) } }] },
      ['extensions', 0, 'params'],
    ],
    ['an unknown member', { extensions: [{ uri, version: 1 }] }, ['extensions', 0]],
  ])('%s', (_what, capabilities, path) => {
    const parsed = agentCardInput.safeParse({ name: 'A', description: 'B.', skills: [skill], capabilities });
    expect(parsed.error?.issues.map((issue) => issue.path)).toEqual([['capabilities', ...path]]);
  });

  test('20 with the longest URIs are accepted, and parameters of 16 KiB', () => {
    const longest = uris(20).map((each) => ({ uri: each.uri.padEnd(256, 'x') }));
    expect(publish({ capabilities: { extensions: longest } }).capabilities.extensions).toEqual(longest);
    const extensions = [{ uri, params: { a: 'x'.repeat(16_376) } }];
    expect(publish({ capabilities: { extensions } }).capabilities.extensions).toEqual(extensions);
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
