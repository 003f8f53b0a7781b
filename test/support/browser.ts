// A real browser for tests: Chromium, by playwright-core. Every page that a test opens is checked for what must hold
// for all of them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import * as z from 'zod';

/** A connection to the browser of all test files. Closing it closes the pages that were opened through it. */
export const startBrowser = async (): Promise<Browser> => await chromium.connect(inject('browserUrl'));

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

/** Without cookies and stored data. */
export async function openBrowserPage(
  browser: Browser,
  { width = 800, scheme = 'light', hasScript = true }: PageOptions = {},
): Promise<WatchedPage> {
  const { context, release } = hasScript ? await takeContext(browser) : await newContext(browser, false);
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.addInitScript(reportViolations);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !isStatusLine(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    context,
    close: async () => {
      await release();
      expect(complaints).toEqual([]);
    },
  };
}

/** Chromium prints none for code that a page tries to compile in a `try`. */
const reportViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('Violation of the content security policy:', violatedDirective, blockedURI));`;

interface TakenContext {
  readonly context: BrowserContext;
  readonly release: () => Promise<void>;
}

/** Contexts of this test file that no test uses. */
const freeContexts: TakenContext[] = [];

/** A new context opens a window and compiles every script again, which is most of the work of a first page. */
async function takeContext(browser: Browser): Promise<TakenContext> {
  return freeContexts.pop() ?? (await newReusedContext(browser));
}

const newContext = async (browser: Browser, javaScriptEnabled: boolean): Promise<TakenContext> => {
  const context = await browser.newContext({ javaScriptEnabled });
  return { context, release: () => context.close() };
};

async function newReusedContext(browser: Browser): Promise<TakenContext> {
  const { context } = await newContext(browser, true);
  // The window closes with its last page.
  const blank = await context.newPage();
  const devTools = await context.newCDPSession(blank);
  const origins = new Set<string>();
  context.on('framenavigated', (frame) => {
    if (/^http/.test(frame.url())) origins.add(new URL(frame.url()).origin);
  });
  const taken: TakenContext = {
    context,
    release: async () => {
      await Promise.all(context.pages().map((page) => (page === blank ? undefined : page.close())));
      await context.clearCookies();
      for (const origin of origins)
        await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      origins.clear();
      freeContexts.push(taken);
    },
  };
  return taken;
}

/** Chromium prints one for each page that answers 4xx. */
const isStatusLine = (text: string): boolean => /^Failed to load resource: the server responded/.test(text);

const results = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

const every = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Targets of at least 24 pixels: axe leaves the rule out unless it is named.
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
};
/** What depends on the colours. */
const contrast = { runOnly: { type: 'rule', values: ['color-contrast'] }, resultTypes: ['violations'] };

async function expectRules(page: Page, rules: object): Promise<void> {
  // By the debugger, which the policy of the page does not stop. It stays until another document is loaded.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source);
  const found = results.parse(await page.evaluate(`axe.run(document, ${JSON.stringify(rules)})`));
  expect(found.violations).toEqual([]);
}

/**
 * The same in both schemes, with a picture of each. Only colours differ between them, so the other rules are checked
 * once. The page is in the light scheme.
 */
export async function expectAccessibleInBoth(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  expect(await listCutTexts(page)).toEqual([]);
  await takeScreenshot(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectRules(page, contrast);
  await takeScreenshot(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

const texts = z.array(z.string());

/** Texts that end in an ellipsis, or have lines left out, without the whole as a title or in what is beside it. */
export const listCutTexts = async (page: Page): Promise<readonly string[]> =>
  texts.parse(await page.evaluate(findCutTexts));

const findCutTexts = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const { overflowX, overflowY, webkitLineClamp, clipPath } = getComputedStyle(element);
  const isHidden = (overflow) => overflow === 'hidden' || overflow === 'clip';
  const isCut =
    (isHidden(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
    (isHidden(overflowY) && webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight + 1);
  // What is only for screen readers is clipped.
  if (!isCut || clipPath !== 'none' || !element.checkVisibility()) return [];
  if (element.matches('input, textarea, select, svg *') || element.closest('[title]')) return [];
  return element.textContent.trim() === '' ? [] : [element.outerHTML.slice(0, 300)];
})`;

/** WCAG 2.0 to 2.2, levels A and AA, without sideways scrolling, and reachable targets. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectRules(page, every);
  expect(await listSideways(page), 'the page does not scroll sideways').toEqual([]);
}

/** What makes the page wider than its window: the innermost elements that end outside of it. */
export const listSideways = async (page: Page): Promise<readonly string[]> =>
  texts.parse(await page.evaluate(findSideways));

const findSideways = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const isOutside = (element) => element.getBoundingClientRect().right > clientWidth + 1;
  const outside = [...document.querySelectorAll('body *')].filter(
    (element) => isOutside(element) && ![...element.children].some(isOutside),
  );
  return [scrollWidth + ' px', ...outside.slice(0, 5).map((element) => element.outerHTML.slice(0, 300))];
})()`;

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

/** For people, if SCREENSHOTS is set: git ignores the folder. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(folder, { recursive: true });
  // A dialog covers what is in sight, and not the rest of the page.
  const fullPage = (await page.getByRole('dialog').count()) === 0;
  // What sticks to the window is drawn where the page is scrolled to.
  if (fullPage) await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
