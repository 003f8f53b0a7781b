import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getFile } from '#lib/console-files/get-file.ts';
import { consoleBreaches } from '#lib/infra/bundle-budget.ts';
import { buildConsole, type ConsoleSizes } from '#lib/infra/bundle-console.ts';
import { serviceUrl } from '#test/support/service-url.ts';

/** As it is deployed, with compressed files. */
const folder = mkdtempSync(join(tmpdir(), 'agent-flow-console-test-'));
let sizes: ConsoleSizes;
beforeAll(async () => {
  sizes = await buildConsole(folder, { isCompressed: true });
  process.env.CONSOLE_FILES = folder;
});
afterAll(() => {
  delete process.env.CONSOLE_FILES;
  rmSync(folder, { recursive: true });
});

const get = async (subpath: string, headers: Record<string, string> = {}, method = 'GET') =>
  await getFile({
    address: subpath ? 'file' : undefined,
    subpath,
    method,
    headers,
    arrival: {},
    rawQuery: {},
  });

const assetOf = (ending: string): string => {
  const name = readdirSync(join(folder, 'assets')).find(
    (each) => each.startsWith('main-') && each.endsWith(ending),
  );
  if (!name) throw new Error(`The build has no ${ending}.`);
  return `assets/${name}`;
};

describe('200', () => {
  test.each(['', 'runs', 'runs/run_1', 'agents/x/builds/y', 'agents/refunds.v2'])(
    'the page "%s" is the document, which browsers ask for again each time',
    async (subpath) => {
      const answer = await get(subpath);
      expect(answer).toMatchObject({ contentType: 'text/html; charset=utf-8' });
      expect(answer).toMatchObject({ text: expect.stringContaining('<base href="/console/">') });
      expect(answer).toMatchObject({ text: expect.stringContaining(`src="${assetOf('.js')}"`) });
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', etag: expect.any(String) });
    },
  );

  test('the policy of the document lets it load its own files only, without nonces', async () => {
    const { headers } = await get('');
    const policy = headers?.['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|nonce|\*|https?:/);
  });

  test('a file is sent compressed as the browser accepts, and kept for ever', async () => {
    const sent = async (accepted: string) =>
      (await get(assetOf('.js'), { 'accept-encoding': accepted })).headers;
    expect(await sent('gzip, deflate, br')).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(await sent('gzip')).toMatchObject({ 'content-encoding': 'gzip' });
    expect(await sent('br;q=0, gzip')).toMatchObject({ 'content-encoding': 'gzip' });
    expect(await sent('identity')).not.toHaveProperty('content-encoding');
  });

  test('the licences of the packages that browsers load are a file that the document names', async () => {
    const answer = await get('');
    const [, name = ''] =
      /rel="license" href="([^"]+)"/.exec('text' in answer ? (answer.text ?? '') : '') ?? [];
    const file = await get(name);
    expect(file).toMatchObject({ contentType: 'text/plain; charset=utf-8' });
    const text = 'bytes' in file ? String(file.bytes) : '';
    for (const each of ['react', 'react-dom', '@base-ui/react', '@tanstack/react-query', 'elkjs'])
      expect(text).toMatch(new RegExp(`^${each} \\d+\\.\\d+\\.\\d+\\nSource: \\S+\\n\\n(.|\\n){200}`, 'm'));
  });

  test('the layout library is served as its package has it, as its licence asks', async () => {
    const worker = readdirSync(join(folder, 'assets')).find((name) => /^elk-worker.*\.js$/.test(name));
    const file = await get(`assets/${worker}`);
    expect(file).toMatchObject({ contentType: 'text/javascript; charset=utf-8' });
    const published = readFileSync(
      new URL('../../../node_modules/elkjs/lib/elk-worker.min.js', import.meta.url),
    );
    expect('bytes' in file && published.equals(file.bytes)).toBe(true);
  });

  test('of style there is what the document loads, and nothing else', () => {
    const styles = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.css'));
    expect(styles).toEqual([assetOf('.css').slice('assets/'.length)]);
  });

  test('HEAD has no body', async () => {
    expect(await get('', {}, 'HEAD')).toMatchObject({ text: '' });
    expect(await get(assetOf('.css'), {}, 'HEAD')).toMatchObject({ bytes: Buffer.alloc(0) });
  });

  test('the first page, the editor, the workers and each other page are within their budgets', () => {
    expect(consoleBreaches(sizes)).toEqual([]);
    expect(sizes.pages.map(({ page }) => page)).toContain('lib/console/runs/run-page.tsx');
  });
});

test('304 for the document that the browser has', async () => {
  const { headers } = await get('');
  expect(await get('', { 'if-none-match': headers?.etag ?? '' })).toMatchObject({ notModified: true });
});

test('/ leads to the console', async () => {
  const response = await fetch(`${serviceUrl()}/`, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/console');
});

describe('404', () => {
  test.each([
    'assets/main-GONE1234.js',
    'assets/../index.html',
    'assets/..%2f..%2findex.mjs',
    'index.html',
    '../index.mjs',
    'assets/main.exe',
    '.env',
  ])('"%s" is route_not_found, and no page', async (subpath) => {
    await expect(get(subpath)).rejects.toMatchObject({ code: 'route_not_found' });
  });
});
