// What every route answers when AWS does not, and when a caller asks too often: generated from the route
// table. The handlers run in this process, whose engines are behind a proxy that answers in their place.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { errorTable } from '#lib/errors.ts';
import type { Route } from '#lib/http/route.ts';
import { newRunId } from '#lib/ids.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { newCaller } from '#test/support/caller.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { load } from '#test/support/invocation.ts';
import { invite, newPerson } from '#test/support/person.ts';
import { signInAnswer } from '#test/support/session-cases.ts';
import { implementationNames } from '../support/implementation-names.ts';

const all = Object.entries(routes) as [OperationId, Route][];
const dependent = all.filter(([, route]) => route.errors.includes('dependency_unavailable'));
/** The signing keys are remembered once they were read, so the route that publishes them is asked in a process that is new. */
const keysFirst = dependent.toSorted(([a], [b]) => Number(b === 'getJwks') - Number(a === 'getJwks'));
const limited = all.filter(
  ([, route]) => route.errors.includes('rate_limited') && route.credentials.length > 0,
);

const functionModule = z.object({ handler: z.function(), buffered: z.function().optional() });
const answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

const task = newRunId();
const begun = { task, connection: 'crm', until: 1, expiresAt: 1, isForWorkspace: false, nonce: 'nonce' };
/** Pages ask nobody without a link, and without the state of a browser that has been away: their events have none. */
const queries: Partial<Record<OperationId, Readonly<Record<string, string>>>> = {
  showAgentConfig: { task_id: task, token: 'token' },
  finishAgentConfig: { state: `${Buffer.from(JSON.stringify(begun)).toString('base64url')}.mac` },
};

/** What browsers bring, in place of a key: the answer of the identity provider, and a session. */
async function browserRequest(id: OperationId) {
  if (id === 'finishSignIn') return await signInAnswer((await invite()).email);
  return ['showSession', 'signOut'].includes(id) ? { headers: (await newPerson()).page } : {};
}

async function ask(id: OperationId, key: string, sent: Awaited<ReturnType<typeof browserRequest>> = {}) {
  const file = pathToFileURL(
    new URL(`../../functions/${routes[id].entry}.ts`, import.meta.url).pathname,
  ).href;
  const { handler, buffered } = functionModule.parse(await load(() => import(/* @vite-ignore */ file)));
  return answer.parse(
    await Reflect.apply(buffered ?? handler, undefined, [
      eventFor(id, { key, ...(queries[id] && { query: queries[id] }), ...sent }),
      lambdaContext(),
    ]),
  );
}

let isDown = false;
const proxies: AwsProxy[] = [];
const refusal = { status: 500, error: { __type: 'InternalServerError', message: 'A secret of AWS.' } };

beforeAll(async () => {
  for (const service of ['DYNAMODB', 'KMS', 'SQS']) {
    const name = `AWS_ENDPOINT_URL_${service}`;
    const upstream = process.env[name];
    if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
    const proxy = await startAwsProxy(upstream, () => (isDown ? refusal : 'pass'));
    proxies.push(proxy);
    process.env[name] = proxy.url;
  }
});
afterAll(async () => {
  vi.useRealTimers();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

describe('while AWS does not answer', () => {
  test.each(keysFirst)('%s answers 503 with Retry-After, and reveals nothing about AWS', async (id) => {
    const key = id === 'getJwks' ? '' : (await newCaller()).key;
    const sent = await browserRequest(id);
    isDown = true;
    // It asks the identity provider alone.
    if (id === 'beginSignIn') process.env.SIGN_IN_ISSUER = 'http://127.0.0.1:1';
    try {
      const { statusCode, headers, body } = await ask(id, key, sent);
      expect(statusCode).toBe(errorTable.dependency_unavailable.status);
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expect(body).not.toMatch(/secret/i);
      expect(body).not.toMatch(implementationNames);
    } finally {
      isDown = false;
    }
  });
});

describe('a caller beyond its request rate', () => {
  test('gets 429 with Retry-After at every route with credentials, and is served in the next window', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 10_000) * 10_000 });
    process.env.LIMITS = JSON.stringify({ key_requests: 10 });
    const { key } = await newCaller();
    for (let n = 0; n < 10; n += 1) expect((await ask('listRegistryRows', key)).statusCode).not.toBe(429);
    for (const [id] of limited) {
      const { statusCode, headers, body } = await ask(id, key);
      expect([id, statusCode]).toEqual([id, 429]);
      expect(headers['retry-after']).toBe('10');
      expect(headers['ratelimit-policy']).toContain('"key";q=10;w=10');
      expect(body).toContain('10 requests in 10 seconds');
    }
    vi.setSystemTime(Date.now() + 10_000);
    expect((await ask('listRegistryRows', key)).statusCode).not.toBe(429);
    delete process.env.LIMITS;
  });
});
