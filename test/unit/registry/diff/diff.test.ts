import { describe, expect, test } from 'vitest';
import { type Build, diffBuilds } from '#lib/registry/diff/diff.ts';
import { agentCardInput, publishCard } from '#lib/registry/row/agent-card-input.ts';

const skill = (some: object = {}) => ({ id: 'echo', name: 'Echo', description: 'Repeats.', ...some });
const card = (some: object = {}) =>
  publishCard(agentCardInput.parse({ name: 'Echo', description: 'Says it.', skills: [skill()], ...some }), {
    url: 'https://a.example',
    version: '1.0.0',
  });
const flow = (some: object = {}) => ({
  version: 1,
  nodes: { ask: { type: 'llm', prompt: 'Hi', next: 'done' }, done: { type: 'end', output: 1 } },
  ...some,
});
const build = (some: Partial<Build> = {}): Build => ({
  card: card(),
  visibility: 'organization',
  flow: flow(),
  egress: ['a.example'],
  reaches: ['flow other'],
  env_variable: { REGION: 'eu' },
  tool_config: { search: { top: 3 } },
  ...some,
});

const { breaking: _, ...nothing } = diffBuilds(build(), build());
/** Only the sections that say something. */
const diff = (from: Partial<Build> | undefined, to: Partial<Build>) =>
  Object.fromEntries(
    Object.entries(diffBuilds(from && build(from), build(to))).filter(
      ([name, value]) => name !== 'breaking' && Array.isArray(value) && value.length > 0,
    ),
  );
const isBreaking = (from: Partial<Build> | undefined, to: Partial<Build>) =>
  diffBuilds(from && build(from), build(to)).breaking;

test('equal builds do not differ, whatever the order of members, the URL and the signature', () => {
  expect(Object.values(nothing)).toEqual(Object.keys(nothing).map(() => []));
  const { done, ask } = flow().nodes;
  const signed = {
    ...card(),
    supportedInterfaces: [],
    signatures: [{ protected: 'x', signature: 'y' }],
  };
  expect(
    diff(
      {},
      {
        card: signed,
        flow: { nodes: { done, ask: { next: ask.next, prompt: ask.prompt, type: ask.type } }, version: 1 },
      },
    ),
  ).toEqual({});
});

test('without another build everything is added, and nothing is breaking', () => {
  const added = diffBuilds(undefined, build());
  const { breaking, ...sections } = added;
  expect(breaking).toBe(false);
  expect(new Set(Object.values(sections).flatMap((all) => all.map(({ change }) => change)))).toEqual(
    new Set(['added']),
  );
  expect(added.nodes.map(({ name, now }) => [name, now])).toEqual([
    ['ask', 'llm'],
    ['done', 'end'],
  ]);
});

describe('differences are listed', () => {
  const changed = { change: 'changed', breaking: false } as const;
  const added = { change: 'added', breaking: false } as const;
  const removed = { change: 'removed', breaking: false } as const;
  test.each<[string, Partial<Build>, Partial<Build>, object]>([
    [
      'a member of the card',
      {},
      { card: card({ name: 'Say' }) },
      { card: [{ name: 'name', ...changed, was: 'Echo', now: 'Say' }] },
    ],
    [
      'a provider, without its values',
      { card: card({ provider: { organization: 'A', url: 'https://a.example' } }) },
      { card: card({ provider: { organization: 'B', url: 'https://a.example' } }) },
      { card: [{ name: 'provider', ...changed, members: ['organization'] }] },
    ],
    [
      'an icon',
      {},
      { card: card({ iconUrl: 'https://a.example/i' }) },
      { card: [{ name: 'iconUrl', ...added, now: 'https://a.example/i' }] },
    ],
    [
      'an agent that the flow may call',
      {},
      { reaches: ['flow other', 'mcp https://a.example/mcp'] },
      { reaches: [{ name: 'mcp https://a.example/mcp', ...added }] },
    ],
    [
      'a wider visibility',
      {},
      { visibility: 'public' },
      { card: [{ name: 'visibility', ...changed, was: 'organization', now: 'public' }] },
    ],
    [
      'a narrower visibility, which breaks',
      { visibility: 'public' },
      {},
      { card: [{ name: 'visibility', ...changed, breaking: true, was: 'public', now: 'organization' }] },
    ],
    [
      'a new skill',
      {},
      { card: card({ skills: [skill(), skill({ id: 'shout' })] }) },
      { skills: [{ name: 'shout', ...added }] },
    ],
    [
      'a removed skill, which breaks',
      { card: card({ skills: [skill(), skill({ id: 'shout' })] }) },
      {},
      { skills: [{ name: 'shout', ...removed, breaking: true }] },
    ],
    [
      'a skill described anew',
      {},
      { card: card({ skills: [skill({ description: 'Says it again.' })] }) },
      { skills: [{ name: 'echo', ...changed, members: ['description'] }] },
    ],
    [
      'a node of another type, a new and a removed one',
      {},
      {
        flow: flow({
          nodes: { ask: { type: 'http', url: 'x' }, more: { type: 'reply', text: 'x' } },
        }),
      },
      {
        nodes: [
          { name: 'ask', ...changed, was: 'llm', now: 'http', members: ['next', 'prompt', 'type', 'url'] },
          { name: 'done', ...removed, was: 'end' },
          { name: 'more', ...added, now: 'reply' },
        ],
      },
    ],
    [
      'hosts',
      {},
      { egress: ['b.example'] },
      {
        egress: [
          { name: 'a.example', ...removed },
          { name: 'b.example', ...added },
        ],
      },
    ],
    [
      'models',
      { flow: flow({ models: { main: { provider: 'bedrock', model: 'a' } } }) },
      { flow: flow({ models: { main: { model: 'b' } } }) },
      {
        models: [{ name: 'main', ...changed, was: 'bedrock a', now: 'b', members: ['model', 'provider'] }],
      },
    ],
    [
      'connections',
      {},
      { flow: flow({ connections: { crm: { type: 'http_bearer', hosts: ['a.example'] } } }) },
      { connections: [{ name: 'crm', ...added, now: 'http_bearer' }] },
    ],
    [
      'variables and tools, by name only',
      {},
      { env_variable: { REGION: 'us', MODE: 'x' }, tool_config: { search: { top: 5 } } },
      {
        env_variable: [
          { name: 'MODE', ...added },
          { name: 'REGION', ...changed },
        ],
        tool_config: [{ name: 'search', ...changed }],
      },
    ],
    [
      'a variable named like a member of every object',
      {},
      { env_variable: { REGION: 'eu', constructor: 'x' } },
      { env_variable: [{ name: 'constructor', ...added }] },
    ],
  ])('%s', (_what, from, to, expected) => {
    expect(diff(from, to)).toEqual(expected);
  });
});

describe('modes', () => {
  const modes = (inputModes: string[], outputModes: string[]) => ({
    card: card({ skills: [skill({ inputModes, outputModes })] }),
  });
  const text = ['text/plain'];
  const both = ['text/plain', 'application/json'];

  test.each([
    ['more input', modes(text, text), modes(both, text), false],
    ['less input', modes(both, text), modes(text, text), true],
    ['more output', modes(text, text), modes(text, both), false],
    ['less output', modes(text, both), modes(text, text), true],
    ['another order', modes(both, text), modes([...both].reverse(), text), false],
  ])('%s: the breaking changes are marked', (_what, from, to, expected) => {
    expect(isBreaking(from, to)).toBe(expected);
  });

  const extending = (...extensions: { uri: string; required?: boolean }[]) => ({
    card: card({ capabilities: { extensions } }),
  });
  const [optional, required] = [{ uri: 'urn:a' }, { uri: 'urn:a', required: true }];
  test.each<[string, Partial<Build> | undefined, Partial<Build>, boolean]>([
    ['declared', {}, extending(optional), false],
    ['declared as required', {}, extending(required), true],
    ['declared as required by the first build', undefined, extending(required), false],
    ['required from now on', extending(optional), extending(required), true],
    ['required no longer', extending(required), extending(optional), false],
    ['removed', extending(optional), extending(), true],
  ])('an extension that is %s is marked as the change it is', (_what, from, to, expected) => {
    expect(isBreaking(from, to)).toBe(expected);
    expect(diffBuilds(from && build(from), build(to)).extensions).toMatchObject([
      { name: 'urn:a', breaking: expected },
    ]);
  });

  test('removing a mode from the card is breaking for the skills without their own modes', () => {
    const from = { card: card({ defaultInputModes: both }) };
    const to = { card: card({ defaultInputModes: text }) };
    expect(diff(from, to)).toEqual({
      input_modes: [{ name: 'application/json', change: 'removed', breaking: true }],
      skills: [{ name: 'echo', change: 'changed', breaking: true, members: ['inputModes'] }],
    });
  });
});
