// Headers that are sent several times: one of a single value is refused, wherever a route reads it, and lists
// are one list.
import { once } from 'node:events';
import { request as httpRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { getHeaderName } from '#lib/http/request-headers.ts';
import type { Route } from '#lib/http/route.ts';
import { routeList, routes } from '#lib/routes/routes.ts';
import { agentUrls } from '#test/support/a2a.ts';
import { newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { goodRequest } from '#test/support/good-request.ts';

type Headers = Readonly<Record<string, string | string[]>>;

/** `fetch` would make one header of several. */
async function send(url: string, method: string, headers: Headers, body?: string) {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const sending = request(url, { method, headers: { ...headers } });
  sending.end(body);
  const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(sending, 'response'));
  return { status: response.statusCode, text: await text(response) };
}

const json = { 'content-type': 'application/json' };
/** Several of them are one list, or malformed, which is ignored. */
const lists = new Set<string>(['If-None-Match', 'A2A-Extensions', 'traceparent', 'tracestate']);
const single = routeList.flatMap(([id, route]) =>
  (route.requestHeaders ?? [])
    .filter((row) => !lists.has(row))
    .map((row): [string, string, Route] => [id, getHeaderName(row), route]),
);

test('these tests cover every single-valued header that the routes read', () => {
  expect([...new Set(single.map(([, name]) => name))].sort()).toEqual([
    'Idempotency-Key',
    'If-Match',
    'If-Modified-Since',
    'Last-Event-ID',
    'Webhook-Id',
    'Webhook-Signature',
    'Webhook-Timestamp',
    'X-A2A-Notification-Token',
  ]);
});

describe('400', () => {
  test.each(single)('%s refuses %s sent twice, with equal or different values', async (_id, name, route) => {
    const { key } = await newCaller();
    const good = goodRequest(route);
    const credential: Headers = route.credentials.includes('apiKey')
      ? { 'x-api-key': key }
      : { authorization: `Bearer ${key}` };
    const asked = { ...credential, ...(good.text !== undefined && json) };
    const repeated: Headers[] = [
      { [name]: ['"1"', '"1"'] },
      { [name]: ['x'.repeat(300), '"1"'] },
      { [name]: ['"1"', 'x'.repeat(300)] },
    ];
    for (const headers of repeated) {
      const answer = await send(buildUrl(route, good), route.method, { ...asked, ...headers }, good.text);
      expect(JSON.parse(answer.text)).toMatchObject({
        status: 400,
        code: 'validation_failed',
        errors: [{ pointer: `/headers/${name.toLowerCase()}`, detail: 'must be sent once, not 2 times' }],
      });
    }
  });

  test('an agent refuses two versions of A2A', async () => {
    const agent = await liveAgent();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
    for (const versions of [
      ['0.3', '1.0'],
      ['1.0', '0.3'],
      ['1.0', '1.0'],
    ]) {
      const headers = { ...json, 'x-api-key': agent.key, 'a2a-version': versions };
      const answer = await send(agentUrls(agent).agent, 'POST', headers, body);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({
        id: 1,
        error: { code: -32009, message: expect.stringContaining(versions.join(', ')) },
      });
    }
  });
});

test('a body with two content types gets 415', async () => {
  const { key } = await newCaller();
  const good = goodRequest(routes.createRegistryRow);
  const headers = { 'x-api-key': key, 'content-type': ['text/plain', 'application/json'] };
  const url = buildUrl(routes.createRegistryRow, good);
  expect((await send(url, 'POST', headers, good.text)).status).toBe(415);
});

test('If-None-Match in several headers is one list', async () => {
  const caller = await newCaller();
  const { a2aregistryid } = await newRow(caller);
  const asked = { params: { a2aregistryid }, query: {} };
  const { headers } = await call('getRegistryRow', { ...asked, key: caller.key });
  const etag = headers.get('etag') ?? '';
  const url = buildUrl(routes.getRegistryRow, asked);
  for (const tags of [
    [etag, '"other"'],
    ['"other"', etag],
  ])
    expect((await send(url, 'GET', { 'x-api-key': caller.key, 'if-none-match': tags })).status).toBe(304);
  const others = { 'x-api-key': caller.key, 'if-none-match': ['"a"', '"b"'] };
  expect((await send(url, 'GET', others)).status).toBe(200);
});
