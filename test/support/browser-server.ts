// Starts Chromium once for all test files (vitest globalSetup).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import * as z from 'zod';

declare module 'vitest' {
  interface ProvidedContext {
    browserUrl: string;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { executablePath, env = {} } = await findChromium();
  // Chromium does not start as root with its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const inherited = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  const server = await chromium.launchServer({
    executablePath,
    args,
    env: { ...Object.fromEntries(inherited), ...env },
  });
  provide('browserUrl', server.wsEndpoint());
  return () => server.close();
}

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
