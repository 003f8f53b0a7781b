// A request carries one credential. Where there are two, one party could go by the first and another by the
// second, so every route refuses them, in the words of any bad key.
import { once } from 'node:events';
import { request as httpRequest, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problem } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { buildUrl, call, readProblem } from '#test/support/client.ts';
import { eventFor } from '#test/support/events.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const isOperation = (id: string): id is OperationId => id in routes;
const all = routeList.filter((row): row is [OperationId, Route] => isOperation(row[0]));
const guarded = all.filter(([, route]) => route.credentials.length > 0);

type Header = readonly [name: string, value: string];

/**
 * The good request of the route's event, with exactly these credentials. `fetch` would join headers of one
 * name.
 */
async function send(id: OperationId, credentials: readonly Header[]) {
  const { pathParameters, multiValueQueryStringParameters, body } = eventFor(id, { key: '' });
  const url = buildUrl(routes[id], {
    params: pathParameters ?? {},
    query: multiValueQueryStringParameters ?? {},
  });
  const headers = [
    ...credentials,
    ['Host', new URL(url).host] as const,
    ['A2A-Version', '1.0'] as const,
    ...(body === null ? [] : [['Content-Type', 'application/json'] as const]),
  ];
  const sending = httpRequest(url, { method: routes[id].method, headers: headers.flat() });
  sending.end(body ?? undefined);
  const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(sending, 'response'));
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

let one: TestCaller;
let other: TestCaller;
beforeAll(async () => {
  [one, other] = await Promise.all([newCaller(), newCaller()]);
});

const apiKey = (token: string): Header => ['X-API-Key', token];
const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`];

const several: Readonly<Record<string, () => readonly Header[]>> = {
  'keys of two organisations': () => [apiKey(one.key), bearer(other.key)],
  'a good key and a token that is none': () => [apiKey(one.key), bearer('nonsense')],
  'a good token and a key that is none': () => [apiKey('nonsense'), bearer(one.key)],
  'a good key and another scheme': () => [apiKey(one.key), ['Authorization', 'Basic YTpi']],
  'two X-API-Key headers': () => [apiKey(one.key), apiKey(other.key)],
  'two names of one header': () => [apiKey(one.key), ['x-api-key', other.key]],
  'two Authorization headers': () => [bearer('nonsense'), bearer(one.key)],
  'a header that is sent twice, even with the same key': () => [apiKey(one.key), apiKey(one.key)],
  'the same token twice in Authorization': () => [bearer(one.key), bearer(one.key)],
  'two tokens in one header': () => [['Authorization', `Bearer ${one.key}, Bearer ${other.key}`]],
};

describe('401', () => {
  test.each(guarded)('%s refuses two different credentials', async (id) => {
    for (const [what, credentials] of Object.entries(several)) {
      const answer = await send(id, credentials());
      expect(answer.status, what).toBe(401);
      const { code, detail } = problem.parse(readProblem(routes[id], answer.text));
      expect(code, what).toBe('unauthenticated');
      expect(detail, what).toMatch(/^Send a valid API key in /);
    }
  });
});

/** Browsers come to these routes with a cookie, are sent on, or come from a page of the service. */
const refused: Readonly<Record<string, number>> = {
  finishAgentConfig: 400,
  beginSignIn: 303,
  finishSignIn: 400,
  signOut: 403,
  // The sample names a task that is not there.
  receiveNotification: 404,
  // No source has signed it.
  receiveWebhook: 401,
};

describe('200', () => {
  test('the same key in both headers is one credential', async () => {
    const both = { 'x-api-key': one.key, authorization: `Bearer ${one.key}` };
    const { workspaceid } = one;
    expect((await call('listRegistryRows', { headers: both, query: { workspaceid } })).status).toBe(200);
    const { flowid } = await promoted(one, await newRow(one));
    const card = await call('getLiveCard', { headers: both, params: { flowId: flowid } });
    expect(card.status).toBe(200);
  });

  test.each(all.filter(([, { credentials, form }]) => credentials.length === 0 && !form))(
    '%s, which is public, ignores them',
    async (id) => {
      const status = refused[id] ?? 200;
      expect((await send(id, [apiKey(one.key), bearer('nonsense')])).status).toBe(status);
    },
  );
});

describe('the challenge', () => {
  /** API Gateway gives the header of a function another name (docs/security.md). */
  const readChallenge = (headers: IncomingMessage['headers']) => headers['x-amzn-remapped-www-authenticate'];

  test.each(guarded.filter(([, { optionalCredentials, resource }]) => !optionalCredentials && !resource))(
    '%s names the scheme to authenticate with and where tokens are issued, and an error code only if a credential was sent',
    async (id) => {
      const hints = `resource_metadata="${serviceUrl()}/.well-known/oauth-protected-resource"`;
      expect(readChallenge((await send(id, [])).headers)).toBe(`Bearer realm="agent-flow", ${hints}`);
      for (const credential of [apiKey('bad'), bearer('bad'), ['Authorization', 'Basic YTpi'] as const])
        expect(readChallenge((await send(id, [credential])).headers)).toBe(
          `Bearer realm="agent-flow", error="invalid_token", ${hints}`,
        );
    },
  );

  test('Bearer covers every route: none accepts X-API-Key alone, which has no scheme', () => {
    expect(guarded.filter(([, { credentials }]) => !credentials.includes('bearer'))).toEqual([]);
  });
});
