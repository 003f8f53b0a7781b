// A real browser for tests: Chromium, by playwright-core. Every page that a test opens is checked for what must hold
// for all of them.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import * as z from 'zod';

interface Chromium {
  readonly executablePath: string;
  readonly env?: Record<string, string>;
}

/** A variable, Debian's, or that of the npm package, which brings its own libraries. */
async function findChromium(): Promise<Chromium> {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return { executablePath: CHROMIUM_PATH };
  if (existsSync('/usr/bin/chromium')) return { executablePath: '/usr/bin/chromium' };
  const packaged = await findPackaged();
  if (packaged) return packaged;
  throw new Error(
    'No Chromium: set CHROMIUM_PATH, or `apt-get install --no-install-recommends chromium`, or `npm i --no-save @sparticuz/chromium`.',
  );
}

const chromiumPackage = z.object({
  default: z.custom<{ executablePath: () => Promise<string> }>((value) => typeof value === 'function'),
  inflate: z.custom<(file: string) => Promise<string>>((value) => typeof value === 'function'),
});

/** Not a dependency: it is installed where there is no other browser. Its default arguments switch off what is tested. */
async function findPackaged(): Promise<Chromium | undefined> {
  const name = '@sparticuz/chromium';
  const url = await Promise.resolve()
    .then(() => import.meta.resolve(name))
    .catch(() => undefined);
  if (url === undefined) return undefined;
  const { default: packaged, inflate } = chromiumPackage.parse(await import(url));
  const executablePath = await packaged.executablePath();
  const libraries = await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', url)));
  return { executablePath, env: { LD_LIBRARY_PATH: join(libraries, 'lib') } };
}

export async function startBrowser(): Promise<Browser> {
  const { executablePath, env = {} } = await findChromium();
  // Chromium does not start as root with its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const inherited = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  return await chromium.launch({
    executablePath,
    args,
    env: { ...Object.fromEntries(inherited), ...env },
  });
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails on a violation of the content security policy, and on an error in the console. */
  readonly close: () => Promise<void>;
}

interface PageOptions {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly hasScript?: boolean;
}

export async function openBrowserPage(
  browser: Browser,
  { width = 800, scheme = 'light', hasScript = true }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    javaScriptEnabled: hasScript,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !isStatusLine(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    context,
    close: async () => {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

/** Chromium prints one for each page that answers 4xx. */
const isStatusLine = (text: string): boolean => /^Failed to load resource: the server responded/.test(text);

const results = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

/** WCAG 2.0 to 2.2, levels A and AA, without sideways scrolling, and reachable targets. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the debugger, which the policy of the page does not stop.
  await page.evaluate(axe.source);
  const found = results.parse(
    await page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
    ),
  );
  expect(found.violations).toEqual([]);
  const [scrolled, shown] = z
    .tuple([z.number(), z.number()])
    .parse(
      await page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]'),
    );
  expect(scrolled, 'the page does not scroll sideways').toBeLessThanOrEqual(shown);
}

/** Presses Tab until the element of this name has the focus, which must be visible. */
export async function tabTo(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name });
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if (!(await wanted.evaluate((element) => element === element.ownerDocument.activeElement))) continue;
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
    return;
  }
  throw new Error(`${name} cannot be reached by the Tab key.`);
}

const folder = fileURLToPath(new URL('../../.screenshots', import.meta.url));

/** For people: git ignores the folder. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
