// What a list is about: filters, order, the whole list at once, and 304.
import { beforeAll, describe, expect, test } from 'vitest';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

type Query = Readonly<Record<string, string | string[]>>;

const list = async (caller: TestCaller, query: Query = {}, headers = {}) =>
  await call('listRegistryRows', {
    key: caller.key,
    query: { workspaceid: caller.workspaceid, ...query },
    headers,
  });

const skill = (some: object = {}) => ({ id: 's', name: 'Skill', description: 'Does it.', ...some });

/** Rows by the name on their card, oldest first. */
const agents = {
  refunds: {
    visibility: 'public',
    agent_card: card({
      name: 'Refunds',
      description: 'Pays money back.',
      tags: ['Billing', 'EU'],
      skills: [skill({ inputModes: ['text/plain'], outputModes: ['application/json'] })],
    }),
  },
  invoices: {
    agent_card: card({
      name: 'Invoices',
      tags: ['billing'],
      skills: [
        skill({ name: 'Print', description: 'To PAPER', outputModes: ['application/pdf'], tags: ['print'] }),
        skill({ id: 'scan', inputModes: ['image/png'] }),
      ],
    }),
  },
  orders: {
    visibility: 'public',
    agent_card: card({
      name: 'Größe und Order',
      defaultInputModes: ['text/markdown'],
      defaultOutputModes: ['text/html'],
      skills: [skill({ name: '100%_[a-z]*', tags: ['eu'] })],
    }),
  },
} as const;

let caller: TestCaller;
const flows: Record<string, string> = {};
const names = async (query: Query) =>
  (await list(caller, query)).body.items.map((row) => row.agent_card.name);

beforeAll(async () => {
  caller = await newCaller();
  for (const [name, some] of Object.entries(agents)) {
    const row = await newRow(caller, some);
    flows[name] = row.flowid;
    if (name === 'invoices') await promoted(caller, row);
  }
});

const [refunds, invoices, orders] = ['Refunds', 'Invoices', 'Größe und Order'];

describe('200', () => {
  test.each<[string, Query, (string | undefined)[]]>([
    ['nothing', {}, [orders, invoices, refunds]],
    ['a status', { status: 'live' }, [invoices]],
    ['either status', { status: ['live', 'test'] }, [orders, invoices, refunds]],
    ['either visibility', { visibility: ['public', 'organization'] }, [orders, invoices, refunds]],
    ['a visibility', { visibility: 'public' }, [orders, refunds]],
    ['a tag of the card, in any case', { tag: 'BILLING' }, [invoices, refunds]],
    ['a tag of a skill', { tag: 'print' }, [invoices]],
    ['tags, one of which is enough', { tag: ['print', 'eu'] }, [orders, invoices, refunds]],
    ['a part of a tag, which is not enough', { tag: 'bill' }, []],
    ['an input mode of a skill', { input_mode: 'image/png' }, [invoices]],
    ['an input mode of the card', { input_mode: 'text/markdown' }, [orders]],
    ['an output mode', { output_mode: 'application/pdf' }, [invoices]],
    ['one of two output modes', { output_mode: ['application/pdf', 'Text/HTML'] }, [orders, invoices]],
    ['a mode that nobody has', { input_mode: 'video/mp4' }, []],
    ['a word of a name, in any case', { q: 'INVOICES' }, [invoices]],
    ['the same in another form', { q: 'invoice' }, [invoices]],
    ['a part of a word, which is not enough', { q: 'invo' }, []],
    ['a word that is not ASCII', { q: 'größe' }, [orders]],
    ['the same without its dots', { q: 'große' }, [orders]],
    ['a word of a description', { q: 'money' }, [refunds]],
    ['a word of a skill', { q: 'paper' }, [invoices]],
    ['a word of a tag', { q: 'billing' }, [invoices, refunds]],
    ['words of different places, all of which are there', { q: 'billing paper' }, [invoices]],
    ['words of which one is missing', { q: 'billing paper money' }, []],
    ['words of which some say nothing', { q: 'the money' }, [refunds]],
    ['only words that say nothing', { q: 'the' }, []],
    ['signs that mean nothing', { q: '%*' }, []],
    ['filters that combine', { tag: ['eu', 'print'], visibility: 'public', q: 'order' }, [orders]],
    ['filters that exclude each other', { tag: 'print', visibility: 'public' }, []],
    ['the oldest first', { sort: 'created_at' }, [refunds, invoices, orders]],
    ['the newest first, said aloud', { sort: '-created_at' }, [orders, invoices, refunds]],
    ['all at once', { pagination: 'false' }, [orders, invoices, refunds]],
    ['pages, said aloud', { pagination: 'true', flow_list: 'false' }, [orders, invoices, refunds]],
  ])('%s', async (_what, query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('several flows are listed in one order, page by page', async () => {
    const { refunds: first = '', orders: second = '' } = flows;
    const newest = await newRow(caller, { flowid: first, agent_card: card({ name: 'Refunds 2' }) });
    const flowid = [first, second, second];
    expect(await names({ flowid })).toEqual(['Refunds 2', orders, refunds]);
    expect(await names({ flowid, sort: 'created_at' })).toEqual([refunds, orders, 'Refunds 2']);
    const { items, nextCursor: cursor = '' } = (await list(caller, { flowid, limit: '1' })).body;
    expect(items).toEqual([newest]);
    expect(await names({ flowid, cursor })).toEqual([orders, refunds]);
    await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid: newest.a2aregistryid } });
  });

  test('the Link header repeats every value of the query', async () => {
    const query = { tag: ['eu', 'billing'], sort: 'created_at', pagination: 'true', limit: '1' };
    const { headers, body } = await list(caller, query);
    const next = /^<\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    const asked = new URLSearchParams(next);
    expect(asked.getAll('tag')).toEqual(query.tag);
    expect(asked.get('cursor')).toBe(body.nextCursor);
    const followed = Object.fromEntries([...new Set(asked.keys())].map((name) => [name, asked.getAll(name)]));
    expect(await names(followed)).toEqual([invoices]);
  });
});

describe('304', () => {
  test("a page with the client's ETag is not sent again until one of its rows changes", async () => {
    const mine = await newCaller();
    const row = await newRow(mine);
    const etag = (await list(mine)).headers.get('etag') ?? '';
    expect((await list(mine, {}, { 'if-none-match': etag })).status).toBe(304);
    expect((await list(mine, { status: 'live' }, { 'if-none-match': etag })).status).toBe(200);
    await promoted(mine, row);
    expect((await list(mine, {}, { 'if-none-match': etag })).body.items[0]?.status).toBe('live');
  });
});

describe('400', () => {
  test.each<[string, Query]>([
    ['status', { status: ['live', 'draft'] }],
    ['flowid', { flowid: Array.from({ length: 11 }, (_, n) => `flow-${n}`) }],
    ['tag', { tag: '' }],
    ['tag', { tag: ['a', ' '] }],
    ['q', { q: '' }],
    ['q', { q: 'x'.repeat(201) }],
    ['q', { q: ['a', 'b'] }],
    ['sort', { sort: 'name' }],
    ['sort', { sort: ['created_at', '-created_at'] }],
    ['pagination', { pagination: 'no' }],
    ['flow_list', { flow_list: '1' }],
    ['limit', { pagination: 'false', limit: '10' }],
    ['cursor', { pagination: 'false', cursor: 'x' }],
    ['status', { flow_list: 'true', status: 'live' }],
    ['q', { flow_list: 'true', q: 'x' }],
    ['sort', { flow_list: 'true', sort: 'created_at' }],
  ])('an invalid %s is reported once', async (name, query) => {
    const { problem } = await list(caller, query);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
  });

  test.each<Query>([
    { sort: 'created_at' },
    { tag: 'eu' },
    { q: 'x' },
    { flowid: 'a' },
    { flow_list: 'true' },
  ])('a cursor of another query than %j is refused', async (query) => {
    const { nextCursor: cursor = '' } = (await list(caller, { limit: '1' })).body;
    const { problem } = await list(caller, { ...query, cursor });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/cursor']);
  });

  test('a cursor of another key is refused', async () => {
    const { nextCursor: cursor = '' } = (await list(caller, { limit: '1' })).body;
    const sibling = await newCaller({ orgid: caller.orgid });
    const { problem } = await list({ ...sibling, workspaceid: caller.workspaceid }, { cursor });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/cursor']);
  });

  test('a whole list that is too large for one answer is refused with a way to get it', async () => {
    const mine = await newCaller();
    const big = { tool_config: { a: 'x'.repeat(99_000) } };
    await Promise.all(Array.from({ length: 42 }, () => newRow(mine, big)));
    const { problem } = await list(mine, { pagination: 'false' });
    expect(problem.code).toBe('list_too_large');
    expect(problem.detail).toContain('nextCursor');
  });
});

test('the list of an organisation never has rows of another, whatever the filters', async () => {
  const stranger = { ...(await newCaller()), workspaceid: caller.workspaceid };
  const { refunds: flowid = '' } = flows;
  for (const query of [
    {},
    { flowid },
    { q: 'refund' },
    { tag: 'eu' },
    { pagination: 'false' },
    { flow_list: 'true' },
  ])
    expect((await list(stranger, query)).body.items).toEqual([]);
});
