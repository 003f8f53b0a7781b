import { describe, expect, test } from 'vitest';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

type Query = Readonly<Record<string, string | string[]>>;

const search = async (caller: TestCaller, query: Query) =>
  await call('searchRegistry', { key: caller.key, query });
const find = async (caller: TestCaller, query: Query): Promise<string[]> =>
  (await search(caller, query)).body.items.map((item) => item.a2aregistryid);

/** A word that no other test's agents have. */
const newWord = () => unique('w').replace('_', '');
const about = (word: string, some: object = {}) => ({
  agent_card: card({ name: `Agent of ${word}`, ...some }),
});
const live = async (caller: TestCaller, some: object) => await promoted(caller, await newRow(caller, some));

describe('200', () => {
  test('an agent is found as soon as it is live, with the content of its card', async () => {
    const caller = await newCaller();
    const word = newWord();
    expect(await find(caller, { q: word })).toEqual([]);
    const row = await live(caller, about(word));
    const { items } = (await search(caller, { q: `find me the ${word}, please` })).body;
    expect(items).toEqual([
      {
        score: expect.any(Number),
        a2aregistryid: row.a2aregistryid,
        flowid: row.flowid,
        orgid: caller.orgid,
        status: 'live',
        visibility: 'organization',
        agent_card: row.agent_card,
        tags: row.tags,
        hosted_url: row.hosted_url,
        card_url: row.card_url,
      },
    ]);
  });

  test('without a query, all agents are found, the newest first, also by a key that may only call them', async () => {
    const caller = await newCaller();
    const [first, second] = [await live(caller, {}), await live(caller, {})];
    const key = await newCaller({ ...caller, scopes: ['assistants.flows:run'] });
    const own = (await search(key, { limit: '50' })).body.items.filter(({ orgid }) => orgid === caller.orgid);
    expect(own.map(({ a2aregistryid }) => a2aregistryid)).toEqual([
      second.a2aregistryid,
      first.a2aregistryid,
    ]);
  });

  test('name, description, skills, tags and flowid are searched, and matches of the name rank first', async () => {
    const caller = await newCaller();
    const word = newWord();
    const skill = { id: 's', name: 'Skill', description: 'Does it.' };
    const cards = [
      card({ name: word }),
      card({ tags: [word] }),
      card({ skills: [{ ...skill, name: word }] }),
      card({ skills: [{ ...skill, tags: [word] }] }),
      card({ description: `Knows ${word}.` }),
      card({ skills: [{ ...skill, description: `Does ${word}.` }] }),
      card({ skills: [{ ...skill, examples: [`Do ${word}.`] }] }),
    ];
    const ids: string[] = [];
    for (const agent_card of cards) ids.push((await live(caller, { agent_card })).a2aregistryid);
    ids.push((await live(caller, { flowid: `a-${word}` })).a2aregistryid);
    const found = await find(caller, { q: word });
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect(found[0]).toBe(ids[0]);
  });

  test('agents that are registered between two pages do not take hits from the second', async () => {
    const caller = await newCaller();
    const word = newWord();
    const registered: string[] = [];
    for (let n = 0; n < 3; n += 1) registered.push((await live(caller, about(word))).a2aregistryid);
    const first = (await search(caller, { q: word, limit: '1' })).body;
    // The word becomes rarer: what has it would score more than the last hit of the first page.
    for (let n = 0; n < 3; n += 1) await live(caller, about(newWord()));
    const second = (await search(caller, { q: word, limit: '2', cursor: first.nextCursor ?? '' })).body;
    expect([...first.items, ...second.items].map((item) => item.a2aregistryid)).toEqual(
      registered.toSorted(),
    );
  });

  test('public agents are found by every organisation, others only by their own', async () => {
    const [owner, stranger] = [await newCaller(), await newCaller()];
    const word = newWord();
    const open = await live(owner, { ...about(word), visibility: 'public' });
    const closed = await live(owner, { ...about(word), visibility: 'organization' });
    expect(await find(stranger, { q: word })).toEqual([open.a2aregistryid]);
    expect((await find(owner, { q: word })).toSorted()).toEqual(
      [open.a2aregistryid, closed.a2aregistryid].toSorted(),
    );
  });

  test('an agent is found by others exactly as long as it is public', async () => {
    const [owner, stranger] = [await newCaller(), await newCaller()];
    const word = newWord();
    const { a2aregistryid } = await live(owner, { ...about(word), visibility: 'public' });
    const turn = async (visibility: string) =>
      await call('updateRegistryRow', {
        key: owner.key,
        params: { a2aregistryid },
        body: { ...about(word), visibility },
      });
    expect(await find(stranger, { q: word })).toEqual([a2aregistryid]);
    await turn('organization');
    expect(await find(stranger, { q: word })).toEqual([]);
    expect(await find(owner, { q: word })).toEqual([a2aregistryid]);
    await turn('public');
    expect(await find(stranger, { q: word })).toEqual([a2aregistryid]);
  });

  test('a promotion replaces the former live build with the new one', async () => {
    const caller = await newCaller();
    const [old, young] = [newWord(), newWord()];
    const before = await live(caller, about(old));
    const after = await live(caller, { ...about(young), flowid: before.flowid });
    expect(await find(caller, { q: old })).toEqual([]);
    expect(await find(caller, { q: young })).toEqual([after.a2aregistryid]);
    expect(await find(caller, { q: old, status: 'test' })).toEqual([before.a2aregistryid]);
    expect(await find(caller, { q: young, status: 'test' })).toEqual([]);
    await promoted(caller, before);
    expect(await find(caller, { q: old })).toEqual([before.a2aregistryid]);
  });

  test('an updated card is found by its new words only, and a deleted agent is not found', async () => {
    const caller = await newCaller();
    const [old, young] = [newWord(), newWord()];
    const { a2aregistryid } = await live(caller, about(old));
    const at = { key: caller.key, params: { a2aregistryid } };
    await call('updateRegistryRow', { ...at, body: about(young) });
    expect(await find(caller, { q: old })).toEqual([]);
    expect(await find(caller, { q: young })).toEqual([a2aregistryid]);
    await call('deleteRegistryRow', at);
    expect(await find(caller, { q: young })).toEqual([]);
  });

  test('builds under test are found only by keys of their workspace, even if they are public', async () => {
    const caller = await newCaller();
    const { orgid, workspaceid } = caller;
    const word = newWord();
    const row = await newRow(caller, { ...about(word), visibility: 'public' });
    const find_ = async (other: TestCaller) => await find(other, { q: word, status: 'test' });
    expect(await find_(await newCaller({ orgid, workspaces: [workspaceid] }))).toEqual([row.a2aregistryid]);
    expect(await find_(await newCaller({ orgid, workspaces: [unique('ws')] }))).toEqual([]);
    expect(await find_(await newCaller())).toEqual([]);
    expect(await find(caller, { q: word })).toEqual([]);
  });

  test('values of one filter are alternatives, and filters combine', async () => {
    const caller = await newCaller();
    const word = newWord();
    const make = async (tag: string, input: string, output: string) =>
      (
        await live(
          caller,
          about(word, { tags: [tag], defaultInputModes: [input], defaultOutputModes: [output], skills }),
        )
      ).a2aregistryid;
    const skills = [{ id: 's', name: 'Skill', description: 'Does it.' }];
    const a = await make('Red', 'text/plain', 'text/plain');
    const b = await make('blue', 'text/plain', 'image/png');
    const c = await make('green', 'audio/wav', 'image/png');
    const sorted = async (query: Query) => (await find(caller, { q: word, ...query })).toSorted();
    expect(await sorted({ tag: 'red' })).toEqual([a]);
    expect(await sorted({ tag: ['RED', 'blue'] })).toEqual([a, b].toSorted());
    expect(await sorted({ input_mode: 'text/plain' })).toEqual([a, b].toSorted());
    expect(await sorted({ output_mode: 'image/png' })).toEqual([b, c].toSorted());
    expect(await sorted({ output_mode: 'image/png', input_mode: 'text/plain' })).toEqual([b]);
    expect(await sorted({ tag: 'yellow' })).toEqual([]);
  });

  test('an agent without tags is found by no tag, neither here nor in the list, and one with its id as a tag is', async () => {
    const caller = await newCaller();
    const word = newWord();
    const skill = { id: 'agent', name: 'Skill', description: 'Does it.' };
    const untagged = await live(caller, about(word, { skills: [skill] }));
    const tagged = await live(caller, about(word, { skills: [{ ...skill, tags: ['agent'] }] }));
    expect(untagged.agent_card.skills[0]?.tags).toEqual(['agent']);
    expect(await find(caller, { q: word, tag: 'agent' })).toEqual([tagged.a2aregistryid]);
    const query = { workspaceid: caller.workspaceid, tag: ['agent'] };
    const { items } = (await call('listRegistryRows', { key: caller.key, query })).body;
    expect(items.map(({ a2aregistryid }) => a2aregistryid)).toEqual([tagged.a2aregistryid]);
  });

  test('pages follow each other without gaps or duplicates, and link to the next page', async () => {
    const caller = await newCaller();
    const word = newWord();
    for (let n = 0; n < 5; n += 1) await live(caller, about(word));
    const whole = await find(caller, { q: word });
    const first = await search(caller, { q: word, limit: '2' });
    expect(first.headers.get('link')).toContain(`q=${word}`);
    const pages = [first.body];
    for (let page = first.body; page.nextCursor !== undefined; pages.push(page))
      page = (await search(caller, { q: word, limit: '2', cursor: page.nextCursor })).body;
    expect(pages.map(({ items }) => items.map((item) => item.a2aregistryid))).toEqual([
      whole.slice(0, 2),
      whole.slice(2, 4),
      whole.slice(4),
    ]);
  });
});

describe('400', () => {
  test.each([
    [{ q: ' ' }, '/query/q'],
    [{ q: 'x'.repeat(501) }, '/query/q'],
    [{ q: ['a', 'b'] }, '/query/q'],
    [{ q: 'x', status: 'prod' }, '/query/status'],
    [{ q: 'x', limit: '0' }, '/query/limit'],
    [{ q: 'x', limit: '51' }, '/query/limit'],
    [{ q: 'x', tag: '' }, '/query/tag'],
    [{ q: 'x', tags: 'x' }, '/query/tags'],
    [{ q: 'x', cursor: 'nonsense' }, '/query/cursor'],
  ])('%j is refused with the pointer %s', async (query, pointer) => {
    const { problem } = await search(await newCaller(), query);
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
  });

  test('the cursor of a query of as many words as fit is accepted', async () => {
    const caller = await newCaller();
    for (let n = 0; n < 2; n += 1) await live(caller, about('aa'));
    const q = Array.from({ length: 166 }, (_, n) => String.fromCharCode(97 + (n % 26), 97 + n / 26)).join(
      ' ',
    );
    const cursor = (await search(caller, { q, limit: '1' })).body.nextCursor ?? '';
    expect((await search(caller, { q, cursor })).status).toBe(200);
  });

  test('a cursor is valid only for its query and its caller', async () => {
    const caller = await newCaller();
    const word = newWord();
    for (let n = 0; n < 2; n += 1) await live(caller, { ...about(word), visibility: 'public' });
    const cursor = (await search(caller, { q: word, limit: '1' })).body.nextCursor ?? '';
    expect((await search(caller, { q: 'other', cursor })).problem.code).toBe('validation_failed');
    expect((await search(await newCaller(), { q: word, cursor })).problem.code).toBe('validation_failed');
    expect((await search(caller, { q: word, cursor })).body.items).toHaveLength(1);
  });
});

test('401 without credentials, 403 without the permission to read or to run flows', async () => {
  expect((await call('searchRegistry', { query: { q: 'x' } })).problem.code).toBe('unauthenticated');
  const caller = await newCaller({ scopes: ['assistants.flows:create'] });
  expect((await search(caller, { q: 'x' })).problem.code).toBe('permission_denied');
});
