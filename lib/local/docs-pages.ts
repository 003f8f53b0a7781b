// Serves the documentation under /docs/, which is built with the first request: the start does not wait for it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lazy } from '#lib/lazy.ts';
import { contentSecurityPolicy } from '#lib/site/layout.ts';
import type { Answer } from './listen.ts';

const prefix = '/docs/';

/** Everything that is not below /docs is answered by `otherwise`. */
export const withDocs =
  (otherwise: Answer): Answer =>
  async (request, response) => {
    const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname ?? '';
    if (path !== '/docs' && !path.startsWith(prefix)) return await otherwise(request, response);
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end();
    if (path === '/docs') return response.writeHead(302, { ...headers, location: prefix }).end();
    try {
      return await send(path.slice(prefix.length) || 'index.html', request, response);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      return response.writeHead(500, headers).end(`The documentation cannot be built: ${reason}\n`);
    }
  };

const site = lazy(async () => await (await import('#lib/site/build-site.ts')).buildSite());

async function send(address: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pages = await site();
  const found = pages.get(address) ?? pages.get(`${address.replace(/\/$/, '')}/index.html`);
  const type = contentTypes[address.slice(address.lastIndexOf('.') + 1)] ?? contentTypes.html;
  const body = found ?? Buffer.from('The documentation has no such page. It begins at /docs/.\n');
  response.writeHead(found ? 200 : 404, {
    ...headers,
    ...(found && address.endsWith('.svg') && { 'content-security-policy': ofPictures }),
    'content-type': found ? type : 'text/plain; charset=utf-8',
    'content-length': body.length,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
};

const headers = {
  'content-security-policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** They have their style in themselves. */
const ofPictures = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
