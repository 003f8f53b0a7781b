// Cursors are authenticated: none but the service makes one, and each is good for the next page of one list,
// one query and one caller. Generated from the route table, so that a new list is asked too.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { isPaged, type Route } from '#lib/http/route.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { type List, listOperations, lists } from '#test/support/lists.ts';

const paged = listOperations.filter((operation) => isPaged(routes[operation]));
const page = z.looseObject({ items: z.array(z.unknown()), nextCursor: z.string().optional() });

type ListRequest = Awaited<ReturnType<(typeof lists)[List]>>;

async function ask(
  operation: OperationId,
  caller: TestCaller,
  { params = {}, query = {} }: ListRequest,
  more: object,
) {
  return await call(operation, { key: caller.key, params, query: { ...query, limit: '2', ...more } });
}

/** The cursor of a real first page. */
async function firstPage(operation: List) {
  const caller = await newCaller();
  const asked = await lists[operation](caller);
  const { body } = await ask(operation, caller, asked, {});
  return { caller, asked, cursor: page.parse(body).nextCursor ?? '' };
}

async function expectRefused(
  operation: OperationId,
  caller: TestCaller,
  asked: ListRequest,
  cursor: string,
  more = {},
) {
  const { problem } = await ask(operation, caller, asked, { ...more, cursor });
  expect(problem).toMatchObject({
    status: 400,
    code: 'validation_failed',
    errors: [
      {
        pointer: '/query/cursor',
        detail: 'must be the next cursor of an answer to the same query by the same caller',
      },
    ],
  });
}

test('these tests cover every list that has cursors', () => {
  const all = routeList.filter(([, route]) => isPaged(route)).map(([id]) => id);
  expect([...paged].sort()).toEqual([...all].sort());
});

/** Spread over the position and the MAC, and over the bits of a character. */
const flipsMax = 40;

describe.each(paged)('%s refuses', (operation) => {
  // Every bit of every list's cursor is flipped in test/unit/dynamo/cursor.test.ts; here each list shows that
  // it asks there.
  test('its cursor with any one bit flipped', async () => {
    const { caller, asked, cursor } = await firstPage(operation);
    expect(cursor.length).toBeGreaterThan(43);
    const characters = Array.from({ length: flipsMax }, (_, n) => Math.floor((n * cursor.length) / flipsMax));
    const flipped = [...new Set([...characters, cursor.length - 1])].map((at, n) => {
      const bytes = Buffer.from(cursor, 'latin1');
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (n & 7));
      return bytes.toString('latin1');
    });
    const inTens = Map.groupBy(flipped.entries(), ([n]) => Math.floor(n / 10));
    for (const some of inTens.values())
      await Promise.all(some.map(([, changed]) => expectRefused(operation, caller, asked, changed)));
    const { status } = await ask(operation, caller, asked, { cursor });
    expect(status).toBe(200);
  });

  test('cursors that were truncated, combined or made by hand, such as with a lone surrogate', async () => {
    const { caller, asked, cursor } = await firstPage(operation);
    const [content, mac] = [cursor.slice(0, -43), cursor.slice(-43)];
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const position = JSON.parse(Buffer.from(content, 'base64url').toString());
    expect(Array.isArray(position)).toBe(true);
    for (const forged of [
      'x',
      mac,
      content,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}=`,
      `${cursor}A`,
      `${content}=${mac}`,
      `${content} ${mac}`,
      encode(JSON.stringify([...position, 1])) + mac,
      encode('["\\ud800"]') + mac,
      encode('["\\ud800","\\udfff"]') + mac,
      encode('[]') + mac,
      encode('null') + mac,
      encode('[2,"AAAAAAAAAAAAAAAA","\\ud800"]'),
      encode('[1,"AAAAAAAAAAAAAAAA","\\ud800"]'),
      'é'.repeat(43),
      'A'.repeat(1_024),
    ])
      await expectRefused(operation, caller, asked, forged);
  });

  test('the cursor of another organisation, another key or another list', async () => {
    const { caller, asked, cursor } = await firstPage(operation);
    const colleague = await newCaller({ orgid: caller.orgid });
    await expectRefused(operation, { ...colleague, workspaceid: caller.workspaceid }, asked, cursor);
    if (operation !== 'getRegistryRowHistory')
      await expectRefused(operation, await newCaller(), asked, cursor);
    const { a2aregistryid } = await newRow(caller);
    const special: Partial<Record<List, ListRequest>> = {
      listMemory: {
        params: { flow_id: 'f', environment: 'live' },
        query: { workspaceid: caller.workspaceid },
      },
      getRegistryRowHistory: { params: { a2aregistryid }, query: {} },
      searchRegistry: { query: { q: 'parcels' } },
      listApiKeys: { query: {} },
      listMembers: { query: {} },
      listInvitations: { query: {} },
      listWorkspaces: { query: {} },
    };
    const inWorkspace = { query: { workspaceid: caller.workspaceid } };
    for (const other of paged.filter((each) => each !== operation))
      await expectRefused(other, caller, special[other] ?? inWorkspace, cursor);
  });
});

/** Another value of each filter; what the row of a list has no filters for is not asked. */
const otherQueries: Partial<Record<List, readonly Readonly<Record<string, string>>[]>> = {
  listRuns: [
    { workspaceid: 'ws_x' },
    { flowid: 'f' },
    { status: 'failed' },
    { from: '2026-01-01T00:00:00Z' },
  ],
  listRegistryRows: [
    { workspaceid: 'ws_x' },
    { status: 'test' },
    { tag: 't' },
    { sort: 'created_at' },
    { flow_list: 'true' },
  ],
  searchRegistry: [{ q: 'letters' }, { tag: 't' }, { status: 'live' }, { input_mode: 'text/plain' }],
  listTriggers: [{ workspaceid: 'ws_x' }, { flowid: 'f' }, { kind: 'webhook' }],
  listDeadLetters: [{ workspaceid: 'ws_x' }],
  listMemory: [{ workspaceid: 'ws_x' }, { kind: 'value' }],
  listConnections: [{ workspaceid: 'ws_x' }],
  listUsage: [{ workspaceid: 'ws_x' }, { from: '2026-11-01' }, { by: 'month' }, { group: 'model' }],
  listAudit: [{ workspaceid: 'ws_x' }, { from: '2026-11-01T00:00:00Z' }],
};

test.each(Object.entries(otherQueries))('%s refuses a cursor of another query', async (id, queries) => {
  const operation = paged.find((each) => each === id);
  if (!operation) throw new Error(`${id} has no cursors.`);
  const { caller, asked, cursor } = await firstPage(operation);
  for (const query of queries) await expectRefused(operation, caller, asked, cursor, query);
});

test('the history of a row refuses the cursor of another row', async () => {
  const { caller, cursor } = await firstPage('getRegistryRowHistory');
  const { a2aregistryid } = await newRow(caller, { flowid: unique('flow') });
  await expectRefused('getRegistryRowHistory', caller, { params: { a2aregistryid }, query: {} }, cursor);
});

/**
 * They make and check links to the configuration page, whose key is derived from the same one. The connector lists too,
 * and the authorization server derives the secrets of clients and the tokens of its forms. Whoever stores a role of AWS,
 * or runs flows with one, derives its external id.
 */
const deriving = new Set(
  routeList.flatMap(([id, { tag, entry }]) =>
    tag === 'A2A' ||
    /^(agent-config\/|connector\/|oauth\/serve$|run\/(get|get-test|follow|cancel|resume)$|trigger\/get-status$|callback\/list-deliveries$|connection\/(put|try)$|environment\/try-telemetry$|trigger\/run$)/.test(
      entry,
    )
      ? [id]
      : [],
  ),
);

test('only lists, the authorization server, and routes with links to the configuration page or roles of AWS may derive keys', () => {
  const rows: [string, Route][] = routeList.map(([id, route]) => [id, route]);
  expect(
    rows
      .filter(([, { uses }]) => uses.includes('cursorKey.derive'))
      .map(([id]) => id)
      .filter((id) => !deriving.has(id))
      .sort(),
  ).toEqual([...paged].sort());
});
