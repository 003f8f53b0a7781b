// The documentation on the local host.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDocs } from '#lib/local/docs-pages.ts';
import { type HttpListener, startHttpListener } from '#lib/local/listen.ts';

let listener: HttpListener;
beforeAll(async () => {
  listener = await startHttpListener(0);
  listener.open(withDocs((_request, response) => response.writeHead(418).end()));
});
afterAll(() => listener.close());

const get = (path: string, method = 'GET') =>
  fetch(`${listener.baseUrl}${path}`, { method, redirect: 'manual' });

test.each([
  ['/docs/', 200, 'text/html; charset=utf-8'],
  ['/docs/flows/wait.html?x=1', 200, 'text/html; charset=utf-8'],
  ['/docs/decisions/', 200, 'text/html; charset=utf-8'],
  ['/docs/assets/search.js', 200, 'text/javascript; charset=utf-8'],
  ['/docs/pictures/support-triage.svg', 200, 'image/svg+xml'],
  ['/docs/pictures/trust-boundaries.svg', 200, 'image/svg+xml'],
  ['/docs/search.json', 200, 'application/json'],
  ['/docs/nowhere.html', 404, 'text/plain; charset=utf-8'],
  ['/docs/%2e%2e/package.json', 418, null],
  ['/docs/..%2fpackage.json', 404, 'text/plain; charset=utf-8'],
  ['/docsother', 418, null],
])('GET %s is answered with %i', async (path, status, type) => {
  const response = await get(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
  if (status === 418) return;
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('/docs leads to /docs/, HEAD has no body, and other methods are refused with those that there are', async () => {
  expect((await get('/docs')).headers.get('location')).toBe('/docs/');
  const head = await get('/docs/', 'HEAD');
  expect([head.status, Number(head.headers.get('content-length')) > 1_000, await head.text()]).toEqual([
    200,
    true,
    '',
  ]);
  const posted = await get('/docs/', 'POST');
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
