// What no request may do to any route, generated from the route table: each gets the right 4xx, which names
// the field and tells nothing else.
import { once } from 'node:events';
import { request as httpRequest, IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { resources } from '#lib/access/resource.ts';
import type { Route } from '#lib/http/route.ts';
import { limits } from '#lib/limits/tenant-limits.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { goodRequest } from '#test/support/good-request.ts';
import { newPerson, type Person, sessionCookie } from '#test/support/person.ts';
import { newToken } from '#test/support/tokens.ts';

const isOperation = (id: string): id is OperationId => id in routes;
const all = routeList.filter((row): row is [OperationId, Route] => isOperation(row[0]));
const guarded = all.filter(([, route]) => route.credentials.length > 0 && !route.optionalCredentials);
const checkedCredentials = all.filter(([, route]) => route.credentials.length > 0);
const withBody = all.filter(([, route]) => route.body !== undefined);
/** Those whose body has members that must be there. */
/** All but the webhook, which takes any JSON. */
const withOwnBody = withBody.filter(([, route]) => !route.body?.safeParse([]).success);
const withMembers = withBody.filter(([, route]) => !route.body?.safeParse({}).success);
const withAnyBody = all.filter(
  ([, { body, rawBody }]) => body !== undefined || (rawBody !== undefined && !rawBody.isOfAnyType),
);
const withPermission = all.filter(([, route]) => route.permission !== undefined);
/** What an access token needs for them. The connector decides by the tool. */
const withScope = all.flatMap(([id, route]) => {
  const scope = route.scope ?? route.permission;
  return scope === undefined ? [] : [[id, route, scope] as const];
});
const validated = all.filter(([, route]) => route.errors.includes('validation_failed'));
const withIfMatch = all.filter(([, route]) => route.requestHeaders?.includes('If-Match'));
const withParams = validated.filter(([, route]) => route.params !== undefined);

/** Mail and chat programs add parameters to the links of pages; nobody sends one that begins a sign-in. */
const ignoresParameters = ({ tag, response, entry, errorForm }: Route): boolean =>
  tag === 'A2A' ||
  // Other systems choose what they add to the URL of a webhook.
  entry === 'trigger/receive-webhook' ||
  // RFC 6749 §3.1 and §3.2: parameters that are not known are ignored.
  errorForm === 'oauth' ||
  (response.contentType === 'text/html' && entry !== 'session/login');

/** A file path, a line of the code, or a word that only our code has. */
const leak = /\/work\/|\/home\/|node_modules|\.ts\b|\.js\b|\bat \w+ \(|dynamodb|kms|arn:|ControlTable|stack/i;

async function refused(operationId: OperationId, options: Parameters<typeof call>[1]) {
  const answer = await call(operationId, options);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toMatch(leak);
  return answer;
}

const nested = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

describe('credentials', () => {
  test.each(guarded)('%s answers 401 without credentials', async (id, route) => {
    const { problem } = await refused(id, goodRequest(route));
    expect(problem.code).toBe('unauthenticated');
    expect(problem.detail).toMatch(/^Send a valid API key in /);
  });

  test.each(checkedCredentials)(
    '%s answers 401 to an invalid key, even if it needs none',
    async (id, route) => {
      const answer = await refused(id, { ...goodRequest(route), key: 'eyJhbGciOiJub25lIn0.e30.' });
      expect(answer.problem.code).toBe('unauthenticated');
      expect(answer.problem.detail).toMatch(/^Send a valid API key in /);
    },
  );

  test.each(withPermission)(
    '%s answers 403 to a key without the permission, and names it',
    async (id, route) => {
      const { key } = await newCaller({ scopes: [] });
      const { problem } = await refused(id, { ...goodRequest(route), key });
      expect(problem.code).toBe('permission_denied');
      expect(problem.detail).toContain(route.permission);
    },
  );

  test.each(guarded)('%s checks credentials before anything else', async (id, route) => {
    const bad = {
      ...goodRequest(route),
      query: { nonsense: '1' },
      ...(route.method !== 'GET' && { text: '{' }),
    };
    expect((await refused(id, bad)).problem.code).toBe('unauthenticated');
  });
});

describe('access tokens', () => {
  let person: Person;
  beforeAll(async () => {
    person = await newPerson();
  });

  test.each(withScope)(
    '%s answers 403 to a token without its scope, and names it',
    async (id, route, scope) => {
      const scopes = oauthScopes.filter((each) => each !== scope && each !== route.orPermission);
      const key = await newToken(person, { scopes });
      const { problem, headers } = await refused(id, { ...goodRequest(route), key });
      expect(problem.code).toBe('insufficient_scope');
      expect(problem.detail).toBe(`The access token lacks the scope ${scope}.`);
      expect(headers.get('x-amzn-remapped-www-authenticate')).toMatch(
        new RegExp(`^Bearer .*error="insufficient_scope".*scope="[^"]*${scope}[" ]`),
      );
    },
  );

  test.each(checkedCredentials)('%s takes tokens for its own resource only', async (id, route) => {
    const { resource: own = 'api' } = route;
    for (const resource of resources) {
      const key = await newToken(person, { scopes: oauthScopes, resource });
      const sent = { ...goodRequest(route), key };
      const answer = await call(id, sent);
      // Agents that do not exist are refused as if the token were bad.
      if (route.tag === 'A2A' && resource === own) continue;
      const code = answer.status < 400 ? undefined : answer.problem.code;
      if (resource === own) expect(code).not.toBe('unauthenticated');
      else expect(code).toBe('unauthenticated');
    }
  });
});

describe('sessions', () => {
  const unsafe = all.filter(([, { errors, form }]) => errors.includes('cross_site_request') && !form);
  const withSession = unsafe.filter(([, { credentials }]) => credentials.includes('session'));

  test('every route that takes a key takes a session too', () => {
    expect(checkedCredentials.filter(([, { credentials }]) => !credentials.includes('session'))).toEqual([]);
  });

  let person: Person;
  beforeAll(async () => {
    person = await newPerson();
  });

  test.each(withSession)('%s refuses what a page of another site sends with a session', async (id, route) => {
    const { page } = route.entry === 'session/logout' ? await newPerson() : person;
    const { origin: _, ...noOrigin } = page;
    const tries = [
      { ...page, origin: 'https://evil.example' },
      { ...page, 'x-session-request': '' },
      noOrigin,
    ];
    for (const headers of tries) {
      const sent = { ...goodRequest(route), headers };
      expect((await refused(id, sent)).problem.code).toBe('cross_site_request');
    }
    // The same from a page of the service is judged by what it asks for.
    const own = await call(id, { ...goodRequest(route), headers: page });
    if (own.status >= 400) expect(own.problem.code).not.toBe('cross_site_request');
  });

  test.each(checkedCredentials)('%s answers 401 to a session that has ended', async (id, route) => {
    const headers = { cookie: `${sessionCookie}=${'A'.repeat(43)}` };
    expect((await refused(id, { ...goodRequest(route), headers })).problem.code).toBe('unauthenticated');
  });
});

describe('bodies', () => {
  let key: string;
  beforeAll(async () => {
    ({ key } = await newCaller());
  });
  const send = async (
    id: OperationId,
    route: Route,
    text: string,
    headers: Readonly<Record<string, string>> = {},
  ) => await refused(id, { ...goodRequest(route), key, text, headers });

  test.each(withBody)('%s refuses a body that is not JSON', async (id, route) => {
    for (const text of ['{', 'null,', '{"a":1,}', "{'a':1}", '\u0000', '{"a":"\n"}', '']) {
      expect((await send(id, route, text)).problem.status).toBe(400);
    }
    expect((await send(id, route, '{\n "a": "secret", }')).problem).toMatchObject({
      code: 'malformed_json',
      detail: 'The body is not JSON: see line 2 column 17.',
    });
    expect((await send(id, route, '{"a": "secr')).problem).toMatchObject({
      code: 'malformed_json',
      detail: 'The body is not JSON: it ends too early, after 11 characters.',
    });
  });

  test.each(withOwnBody)('%s refuses JSON that is not an object', async (id, route) => {
    for (const text of ['null', '[]', '"text"', '1', 'true', '[{}]']) {
      const { problem } = await send(id, route, text);
      expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/body' }] });
    }
  });

  test.each(withAnyBody)('%s refuses other content types', async (id, route) => {
    for (const type of [
      'text/plain',
      'text/plain; application/json',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/jsonx',
      '',
    ]) {
      const text = goodRequest(route).text ?? '';
      const { problem } = await send(id, route, text, { 'content-type': type || 'application/octet-stream' });
      expect(problem).toMatchObject({
        code: 'unsupported_media_type',
        detail: expect.stringContaining('application/json'),
      });
    }
  });

  test.each(withBody)('%s refuses a missing body', async (id, route) => {
    const { text: _, ...without } = goodRequest(route);
    const { problem } = await refused(id, {
      ...without,
      key,
      headers: { 'content-type': 'application/json' },
    });
    expect(problem.status).toBe(400);
  });

  test.each(withMembers)('%s lists the missing members', async (id, route) => {
    const { problem } = await send(id, route, '{}');
    expect(problem.code).toBe('validation_failed');
    for (const { pointer } of problem.errors ?? []) expect(pointer).toMatch(/^\/body\/\w+$/);
    expect(problem.errors?.length).toBeGreaterThan(0);
  });

  test.each(withOwnBody)('%s names an unknown member', async (id, route) => {
    const good = z.record(z.string(), z.unknown()).parse(JSON.parse(goodRequest(route).text ?? ''));
    const { problem } = await send(id, route, JSON.stringify({ ...good, 'un/known~member': 1 }));
    const detail = expect.stringMatching(/^unknown field: expected (one of )?\w/);
    expect(problem.errors).toEqual([{ pointer: '/body/un~1known~0member', detail }]);
  });

  test.each(withBody)('%s refuses member names that lead to a prototype', async (id, route) => {
    for (const [hostile, pointer] of [
      ['"__proto__":{"isAdmin":true}', '/body/__proto__'],
      ['"constructor":{"prototype":{"isAdmin":true}}', '/body/constructor'],
      ['"some/list":[1,{"__proto__":{}}]', '/body/some~1list/1/__proto__'],
    ]) {
      const { problem } = await send(id, route, `{${hostile},"good":${goodRequest(route).text}}`);
      expect(problem).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer, detail: 'is a name that no member may have' }],
      });
    }
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });

  test.each(withBody)('%s names a number beyond the range of a double', async (id, route) => {
    const { problem } = await send(id, route, '{"a":{"b":[0,-1e400]}}');
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/body/a/b/1', detail: expect.stringContaining('1.8e308') }],
    });
  });

  test.each(withBody)('%s names a text and a member that are not valid Unicode', async (id, route) => {
    for (const [hostile, pointer] of [
      ['"a":{"b":["fine \\ud83d\\ude00","\\ud800"]}', '/body/a/b/1'],
      ['"a":"\\udc00\\ud800"', '/body/a'],
      ['"a":{"\\udfff":1}', '/body/a/\ufffd'],
    ]) {
      const { problem } = await send(id, route, `{"good":${goodRequest(route).text},${hostile}}`);
      expect(problem).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer, detail: expect.stringContaining('surrogate') }],
      });
    }
  });

  test.each(withBody)('%s refuses 5,000 and 20,000 levels of nesting with that reason', async (id, route) => {
    const { body } = route;
    const member = body instanceof z.ZodObject ? Object.keys(body.shape)[0] : undefined;
    for (const deep of [nested(5_000, '[', ']'), nested(20_000, '[', ']'), nested(20_000, '{"a":', '}')]) {
      for (const text of [deep, `{"${member}":${deep}}`])
        expect((await send(id, route, text)).problem.errors).toEqual([
          {
            pointer: expect.stringMatching(/^\/body(\/[^/]+){101}$/),
            detail: 'must not be nested deeper than 100 levels',
          },
        ]);
    }
  });

  test.each(withAnyBody)('%s refuses a body above its limit', async (id, route) => {
    const bytesMax = route.bodyKind ? limits.parse({}).body_bytes[route.bodyKind] : 0;
    const text = `{"a":"${'x'.repeat(bytesMax)}"}`;
    const { problem } = await send(id, route, text);
    expect(problem).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(problem.detail).toContain(String(bytesMax));
  });
});

describe('paths and queries', () => {
  // A2A clients, and programs that show links, may add parameters, which the service ignores.
  test.each(validated.filter(([, route]) => ignoresParameters(route)))(
    '%s ignores a query parameter that it does not know',
    async (id, route) => {
      const good = { ...goodRequest(route), key: (await newCaller()).key };
      const query = { ...good.query, surprise: '1', 'constructor.prototype': 'x' };
      expect((await call(id, { ...good, query })).status).toBe((await call(id, good)).status);
    },
  );

  test.each(validated.filter(([, route]) => !ignoresParameters(route)))(
    '%s names an unknown query parameter',
    async (id, route) => {
      const good = goodRequest(route);
      const query = { ...good.query, surprise: '1', 'constructor.prototype': 'x' };
      const { problem } = await refused(id, { ...good, query, key: (await newCaller()).key });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
        '/query/surprise',
        '/query/constructor.prototype',
      ]);
    },
  );

  test.each(withParams)('%s names a malformed path parameter', async (id, route) => {
    const good = goodRequest(route);
    const { key } = await newCaller();
    for (const name of Object.keys(good.params)) {
      for (const value of [
        '-',
        'a b',
        'ü',
        '%00',
        '%',
        "'; DROP TABLE rows",
        'x'.repeat(500),
        '__proto__',
        '..;',
        'a#b',
        'a\nb',
      ]) {
        const { problem } = await refused(id, { ...good, key, params: { ...good.params, [name]: value } });
        expect(problem).toMatchObject({ code: 'validation_failed' });
        expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/path/${name}`]);
      }
    }
  });
});

describe('If-Match', () => {
  test.each(withIfMatch)(
    '%s changes nothing if the resource does not exist, whatever the version',
    async (id, route) => {
      const { key } = await newCaller();
      for (const ifMatch of ['*', '"1"', 'W/"1"']) {
        const answer = await refused(id, { ...goodRequest(route), key, headers: { 'if-match': ifMatch } });
        expect([404, 412]).toContain(answer.status);
      }
    },
  );
});

describe('paths without a route', () => {
  const request = async (method: string, url: string, init: RequestInit = {}) => {
    const response = await fetch(url, { method, ...init });
    const text = await response.text();
    expect(text).not.toMatch(leak);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    return {
      status: response.status,
      problem: z.object({ code: z.string(), instance: z.string() }).parse(JSON.parse(text)),
    };
  };

  test.each(['/api', '/api/v1/a2a-registry/x/y', '/%2e%2e/etc/passwd', '/api/v1/ai/a2a/agents'])(
    'the path %s is 404 as a problem',
    async (path) => {
      const { status } = await request('GET', `${buildUrl({ path: '/' }).replace(/\/$/, '')}${path}`);
      expect(status).toBe(404);
    },
  );

  test('a request that API Gateway itself refuses as too large gets 413 as problem details', async () => {
    // Only announced, not sent: an answer that comes while the client still sends may be lost.
    const headers = { 'content-type': 'application/json', 'content-length': 11_000_000 };
    const sending = httpRequest(buildUrl(routes.createRegistryRow), { method: 'POST', headers });
    sending.write('{');
    const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(sending, 'response'));
    expect(response.statusCode).toBe(413);
    expect(await json(response)).toMatchObject({ status: 413, code: 'payload_too_large' });
    sending.destroy();
  });
});
