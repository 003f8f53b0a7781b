// Methods that a path does not have, and HEAD, which it has wherever it has GET.
import { once } from 'node:events';
import { request as httpRequest, IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Route, servedMethods } from '#lib/http/route.ts';
import { routeList } from '#lib/routes/routes.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl } from '#test/support/client.ts';

const all = routeList;

/** Any address of the route: what it names need not exist. */
const fillPath = ({ path }: Route) => ({
  params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])),
});

async function request(method: string, url: string, { errorForm }: Route) {
  const response = await fetch(url, { method });
  expect(response.headers.get('content-type')).toBe(
    errorForm ? 'application/json' : 'application/problem+json',
  );
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const { status, headers } = response;
  const body: unknown = await response.json();
  expect(readRequestId(errorForm, body)).toBe(
    errorForm === 'oauth' ? undefined : headers.get('x-request-id'),
  );
  return { status, allow: headers.get('allow') };
}

/** Errors of OAuth have no member for it. */
function readRequestId(errorForm: Route['errorForm'], body: unknown): string | undefined {
  if (errorForm === 'oauth') return void oauthError.parse(body);
  const problem = errorForm === 'jsonRpc' ? jsonRpcError.parse(body).error.data : problemDetails.parse(body);
  return problem.instance;
}

const problemDetails = z.object({ code: z.literal('method_not_allowed'), instance: z.string() });
const oauthError = z.strictObject({ error: z.literal('invalid_request'), error_description: z.string() });
const jsonRpcError = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({ code: z.number(), message: z.string(), data: problemDetails }),
});

/** GET and HEAD of one state: other tests change what all of them see, such as the catalog of public agents. */
async function askBoth(url: string, headers: Readonly<Record<string, string>>, tries = 5) {
  const both = await Promise.all(['GET', 'HEAD'].map((method) => fetch(url, { method, headers })));
  const [etag, other] = both.map((response) => response.headers.get('etag'));
  if (etag === other || tries === 1) return both;
  await Promise.all(both.map((response) => response.text()));
  return await askBoth(url, headers, tries - 1);
}

describe('the path of a route', () => {
  test.each(all)('%s answers 405 to another method, with the methods of its path', async (_id, route) => {
    const rows = all.filter(([, other]) => other.path === route.path).map(([, other]) => other);
    const preflight = rows.some(({ crossOrigin }) => crossOrigin) ? ['OPTIONS'] : [];
    const allowed = [...rows.flatMap(servedMethods), ...preflight];
    const url = buildUrl(route, fillPath(route));
    const others = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'].filter(
      (method) => !allowed.includes(method),
    );
    for (const method of others) {
      const { status, allow } = await request(method, url, route);
      expect(status).toBe(405);
      expect(allow).toBe([...allowed].sort().join(', '));
    }
    // `fetch` does not send it.
    const traced = httpRequest(url, { method: 'TRACE' }).end();
    const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(traced, 'response'));
    expect(response.statusCode).toBe(405);
    response.resume();
  });

  test.each(all.filter(([, route]) => servedMethods(route).includes('HEAD')))(
    '%s under HEAD has the status and the headers of GET, and no body',
    async (_id, route) => {
      const { key } = await newCaller();
      const headers = route.credentials.length > 0 ? { 'x-api-key': key } : {};
      const [get, head] = await askBoth(buildUrl(route, fillPath(route)), headers);
      expect(head?.status).toBe(get?.status);
      for (const name of ['content-type', 'etag', 'cache-control', 'ratelimit-policy', 'www-authenticate'])
        expect(head?.headers.get(name), name).toBe(get?.headers.get(name));
      expect(await head?.text()).toBe('');
      await get?.text();
    },
  );
});
