// Request rates. The handlers run in this process, with limits that are low enough to reach.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import * as get from '#functions/registry/get.ts';
import * as list from '#functions/registry/list.ts';
import * as receiveWebhook from '#functions/trigger/receive-webhook.ts';
import { problem } from '#lib/http/problem.ts';
import { newWebhookId } from '#lib/ids.ts';
import { askInProcess } from '#test/support/ask-in-process.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { newPerson, type Person } from '#test/support/person.ts';

beforeEach(() => {
  process.env.LIMITS = JSON.stringify({ key_requests: 20, org_requests: 30 });
});
afterEach(() => {
  vi.useRealTimers();
  delete process.env.LIMITS;
});

const answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

async function ask({ key, workspaceid }: TestCaller) {
  const event = eventFor('listRegistryRows', { key, query: { workspaceid } });
  return answer.parse(await list.handler(event, lambdaContext()));
}

/** Asks until it is refused; a window may end in between, so it asks for two quotas and one more. */
async function askTooOften(caller: TestCaller) {
  for (let n = 0; n <= 60; n += 1) {
    const given = await ask(caller);
    if (given.statusCode === 429) return { given, n };
  }
  throw new Error('It was never refused.');
}

describe('200', () => {
  test('every answer to a caller has the remaining quota', async () => {
    const { headers } = await ask(await newCaller());
    expect(headers['ratelimit-policy']).toBe('"key";q=20;w=10, "org";q=30;w=10');
    expect(headers.ratelimit).toMatch(/^"key";r=19;t=\d+, "org";r=29;t=\d+$/);
    expect(headers).not.toHaveProperty('retry-after');
  });

  test('a caller beyond its limit does not affect the others', async () => {
    await askTooOften(await newCaller());
    expect((await ask(await newCaller())).statusCode).toBe(200);
  });
});

describe('429', () => {
  test('beyond the limit of the key, with Retry-After', async () => {
    const { given, n } = await askTooOften(await newCaller());
    expect(n).toBeGreaterThanOrEqual(20);
    expect(problem.parse(JSON.parse(given.body))).toMatchObject({
      code: 'rate_limited',
      status: 429,
      detail: 'This API key may send 20 requests in 10 seconds.',
    });
    const [, seconds] = /^"key";r=0;t=(\d+)$/.exec(given.headers.ratelimit ?? '') ?? [];
    expect(given.headers['retry-after']).toBe(seconds);
    expect(Number(seconds)).toBeLessThanOrEqual(10);
  });

  test('beyond the limit of the user, for all sessions together, and apart from keys of the user', async () => {
    const one = await newPerson();
    const other = await newPerson({ email: one.email, orgid: one.orgid });
    const colleague = await newPerson({ orgid: one.orgid });
    expect(other.id).toBe(one.id);
    const body = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
    const { token } = (await call('createApiKey', { headers: one.page, body })).body;
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 10_000) * 10_000 });
    const asked = async ({ page }: Person) => await askInProcess('getMe', { headers: page });
    for (let n = 0; n < 20; n += 1) expect((await asked(n % 2 ? one : other)).statusCode).toBe(200);
    for (const person of [one, other]) {
      const { statusCode, headers, body } = await asked(person);
      expect(statusCode).toBe(429);
      expect(headers['ratelimit-policy']).toBe('"user";q=20;w=10');
      expect(body).toContain('This user may send 20 requests in 10 seconds.');
    }
    expect((await asked(colleague)).statusCode).toBe(200);
    expect((await askInProcess('getMe', { key: token })).statusCode).toBe(200);
  });

  test('beyond the limit of the organisation, for all of its keys', async () => {
    const first = await newCaller();
    const keys = await Promise.all([1, 2, 3, 4].map(() => newCaller({ orgid: first.orgid })));
    const answers = [];
    for (let n = 0; n < 19; n += 1) answers.push(...(await Promise.all(keys.map(ask))));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused.map(({ body }) => problem.parse(JSON.parse(body)).detail)).toContain(
      'This organisation may send 30 requests in 10 seconds.',
    );
    // Two windows at most.
    expect(answers.length - refused.length).toBeLessThanOrEqual(60);
  });

  test('the limit counts all routes together, and is checked before permissions', async () => {
    const caller = await newCaller({ scopes: [] });
    const params = { a2aregistryid: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E' };
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) {
      statuses.add((await ask(caller)).statusCode);
      const event = eventFor('getRegistryRow', { key: caller.key, params, query: {} });
      statuses.add(answer.parse(await get.handler(event, lambdaContext())).statusCode);
    }
    expect([...statuses].sort()).toEqual([403, 429]);
  });
});

describe('webhooks of sources, which have no key', () => {
  /** What refuses requests to some addresses, once something does. */
  async function knockTooOften(nextAddress: () => string) {
    for (let n = 0; n <= 60; n += 1) {
      const event = eventFor('receiveWebhook', { key: '', params: { webhookId: nextAddress() }, body: {} });
      const { statusCode, body } = answer.parse(await receiveWebhook.handler(event, lambdaContext()));
      if (statusCode === 429) return { n, detail: problem.parse(JSON.parse(body)).detail };
      expect(statusCode).toBe(401);
    }
    throw new Error('It was never refused.');
  }

  test('one address takes as many requests as one key', async () => {
    const address = newWebhookId();
    const { n, detail } = await knockTooOften(() => address);
    expect(n).toBeGreaterThanOrEqual(20);
    expect(detail).toContain('20 requests in ten seconds are accepted at this address');
  });

  test('nobody can try many addresses', async () => {
    process.env.LIMITS = JSON.stringify({ address_requests: 15 });
    const { detail } = await knockTooOften(newWebhookId);
    expect(detail).toContain('15 requests in ten seconds are accepted from one network address');
  });
});
