// Pages of other origins in a browser (the Fetch standard, CORS). The tenant of the tests allows two origins.
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, newMessage } from '#test/support/a2a.ts';
import { unique } from '#test/support/caller.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const allowed = ['https://app.example.com', 'http://localhost:5173'];
const foreign = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://appxexample.com',
  'http://app.example.com',
  'null',
];

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  agent = await liveAgent();
  url = agentUrls(agent).live;
});

const cardUrl = (of: TestAgent) => `${agentUrls(of).live}.well-known/agent-card.json`;
const preflight = async (target: string, origin: string, method: string) =>
  await fetch(target, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'a2a-version,content-type,x-api-key',
    },
  });
const send = async (origin: string, headers: Record<string, string> = {}) =>
  await fetch(url, {
    method: 'POST',
    headers: {
      origin,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'x-api-key': agent.key,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: newMessage('x') },
    }),
  });
const allowOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a preflight request to an agent', () => {
  test.each(allowed)('from %s allows the methods and the headers of A2A', async (origin) => {
    for (const path of Object.values(agentUrls(agent))) {
      const response = await preflight(path, origin, 'POST');
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(allowOrigin(response)).toBe(origin);
      expect(response.headers.get('vary')).toBe('Origin');
      expect(response.headers.get('access-control-allow-methods')).toBe('POST');
      for (const name of [
        'A2A-Version',
        'A2A-Extensions',
        'X-A2A-Extensions',
        'X-API-Key',
        'Authorization',
        'Content-Type',
        'traceparent',
        'tracestate',
      ])
        expect(response.headers.get('access-control-allow-headers')).toContain(name);
    }
  });

  test.each(foreign)('from %s allows nothing', async (origin) => {
    expect(allowOrigin(await preflight(url, origin, 'POST'))).toBeNull();
  });
});

describe('an answer of an agent', () => {
  test('over HTTP+JSON can be read too, after a preflight', async () => {
    const [origin = ''] = allowed;
    const target = `${url}rest/tasks/none`;
    const before = await preflight(target, origin, 'GET');
    expect([before.status, allowOrigin(before)]).toEqual([204, origin]);
    expect(before.headers.get('access-control-allow-methods')).toBe('DELETE, GET, POST');
    const headers = { origin, 'a2a-version': '1.0', 'x-api-key': agent.key };
    const response = await fetch(target, { headers });
    expect([response.status, allowOrigin(response)]).toEqual([404, origin]);
    expect(allowOrigin(await fetch(target, { headers: { ...headers, origin: 'null' } }))).toBeNull();
  });

  test.each(allowed)('can be read by pages of %s', async (origin) => {
    const response = await send(origin);
    expect([response.status, allowOrigin(response), response.headers.get('vary')]).toEqual([
      200,
      origin,
      'Origin',
    ]);
    for (const name of ['A2A-Extensions', 'X-A2A-Extensions', 'WWW-Authenticate', 'ETag'])
      expect(response.headers.get('access-control-expose-headers')).toContain(name);
    await response.text();
  });

  test('that is an error of credentials, or of the gateway, can be read too', async () => {
    const [origin = ''] = allowed;
    const denied = await send(origin, { 'x-api-key': 'bad' });
    expect([denied.status, allowOrigin(denied)]).toEqual([401, origin]);
    const unknown = await fetch(`${serviceUrl()}/api/v1/ai/nothing`, { headers: { origin } });
    expect([unknown.status, allowOrigin(unknown)]).toEqual([404, '*']);
    const other = await fetch(url, { method: 'PUT', headers: { origin } });
    expect([other.status, allowOrigin(other)]).toEqual([405, '*']);
  });

  test.each(foreign)('cannot be read by pages of %s', async (origin) => {
    const response = await send(origin);
    expect([allowOrigin(response), response.headers.get('vary')]).toEqual([null, 'Origin']);
    await response.text();
  });

  test('of the management API cannot be read by any page', async () => {
    const headers = { origin: allowed[0] ?? '', 'x-api-key': agent.key };
    const response = await fetch(`${serviceUrl()}/api/v1/a2a-registry/${agent.a2aregistryid}`, { headers });
    expect([response.status, allowOrigin(response)]).toEqual([200, null]);
  });
});

describe('a card', () => {
  test('of a public agent can be read by every page, also when it has not changed', async () => {
    const open = await liveAgent({ visibility: 'public' });
    for (const origin of [...allowed, ...foreign]) {
      const response = await fetch(cardUrl(open), { headers: { origin } });
      expect([response.status, allowOrigin(response)]).toEqual([200, '*']);
      expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
      const known = { origin, 'if-none-match': response.headers.get('etag') ?? '' };
      const again = await fetch(cardUrl(open), { headers: known });
      expect([again.status, allowOrigin(again)]).toEqual([304, '*']);
    }
    const response = await preflight(cardUrl(open), 'https://evil.example', 'GET');
    expect([response.status, allowOrigin(response)]).toEqual([204, '*']);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
  });

  test('of an agent of an organisation can be read by pages of the allowed origins, and its error by every page', async () => {
    for (const origin of [...allowed, ...foreign]) {
      const response = await fetch(cardUrl(agent), { headers: { origin, 'x-api-key': agent.key } });
      expect(response.status).toBe(200);
      expect(allowOrigin(response)).toBe(allowed.includes(origin) ? origin : null);
      expect(response.headers.get('vary')).toBe('Origin');
      const denied = await fetch(cardUrl({ ...agent, flowid: unique('flow') }), { headers: { origin } });
      expect([denied.status, allowOrigin(denied)]).toEqual([401, '*']);
    }
  });
});
