import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const report = async (
  { key }: TestCaller,
  { a2aregistryid }: { readonly a2aregistryid: string },
  query: Readonly<Record<string, string>> = {},
) => await call('testRegistryRow', { key, params: { a2aregistryid }, query });

const shop = (tests: readonly JsonObject[]) =>
  flow({
    egress: ['api.shop.example'],
    start: 'order',
    nodes: {
      order: { type: 'http', url: 'https://api.shop.example/orders/1', next: 'done' },
      done: { type: 'end', output: { text: '{{ nodes.order.body.status }} by {{ env.SHOP }}' } },
    },
    tests,
  });
const mocks = { order: { status: 200, headers: {}, body: { status: 'shipped' } } };

describe('200', () => {
  test('the tests of the build run in its environment, and each is reported', async () => {
    const caller = await newCaller();
    const row = await newRow(caller, {
      env_variable: { SHOP: 'Books' },
      flow: shop([
        { name: 'tells the status', input: {}, mocks, expect: '{{ response.text = "shipped by Books" }}' },
        { name: 'forgets a mock', input: {}, expect: '{{ true }}' },
      ]),
    });
    const { body } = await report(caller, row);
    expect(body).toEqual({
      passed: false,
      tests: [
        {
          name: 'tells the status',
          passed: true,
          expectation: '{{ response.text = "shipped by Books" }}',
          path: ['order', 'done'],
        },
        {
          name: 'forgets a mock',
          passed: false,
          expectation: '{{ true }}',
          path: ['order'],
          error: 'The node "order" calls an HTTP API, and the test has no mock for it: add one to `mocks`.',
        },
      ],
    });
  });

  test('a test can start like an A2A client, mock each item of a map, and check all output for the caller', async () => {
    const caller = await newCaller();
    const look = { type: 'http', url: 'https://api.shop.example/orders/{{ item }}' };
    const row = await newRow(caller, {
      flow: flow({
        egress: ['api.shop.example'],
        start: 'each',
        nodes: {
          each: {
            type: 'map',
            items: '{{ input.a2a.metadata.orders }}',
            on_error: 'skip',
            body: { start: 'look', nodes: { look } },
            next: 'done',
          },
          done: {
            type: 'end',
            output: { text: 'Sent.' },
            artifacts: [{ name: 'Orders', data: '{{ nodes.each }}' }],
          },
        },
        tests: [
          {
            input: { a2a: { metadata: { orders: [1, 2, 3] } } },
            mocks: { look: { by_item: ['lamp', { error: { code: 'http.404' } }, 'desk'] } },
            expect: '{{ artifacts[0].name = "Orders" and artifacts[0].parts[0].data = ["lamp", "desk"] }}',
          },
        ],
      }),
    });
    expect((await report(caller, row)).body).toMatchObject({ passed: true });
  });

  test('a build without tests passes', async () => {
    const caller = await newCaller();
    const { body } = await report(caller, await newRow(caller));
    expect(body).toEqual({ passed: true, tests: [] });
  });
});

describe('400', () => {
  test('an unknown query parameter is refused', async () => {
    const caller = await newCaller();
    const { problem } = await report(caller, await newRow(caller), { name: 'one' });
    expect(problem).toMatchObject({ code: 'validation_failed' });
  });
});

describe('401', () => {
  test('a request without a key runs nothing', async () => {
    const { problem } = await call('testRegistryRow', { params: { a2aregistryid: newRegistryId() } });
    expect(problem.code).toBe('unauthenticated');
  });
});

describe('403', () => {
  test('a key without the permission to read gets its name', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:run'] });
    const { problem } = await report(caller, { a2aregistryid: newRegistryId() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:read');
  });

  test('a key that may only read cannot run the tests', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:read'] });
    const { problem } = await report(caller, { a2aregistryid: newRegistryId() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:run');
  });
});

describe('404', () => {
  test('a missing row and one of another organisation give the same error', async () => {
    const caller = await newCaller();
    const foreign = await newRow(await newCaller());
    for (const row of [foreign, { a2aregistryid: newRegistryId() }])
      expect((await report(caller, row)).problem.code).toBe('row_not_found');
  });
});
