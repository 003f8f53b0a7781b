// Starts the service for the projects that test it (vitest globalSetup), once for all of them, and tells the
// tests where it is. With BASE_URL the same tests run against a deployed stack instead.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '#lib/infra/bundle-console.ts';
import { type ForkedHost, forkHost, type Service } from './forked-host.ts';

declare module 'vitest' {
  interface ProvidedContext {
    service: Service;
  }
}

declare global {
  /** Vitest loads this file once for each project. */
  var testedHost: Promise<ForkedHost> | undefined;
}

export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { BASE_URL } = process.env;
  if (BASE_URL) {
    provide('service', {
      baseUrl: BASE_URL.replace(/\/$/, ''),
      environment: {},
      tables: {},
      queues: {},
      keys: {},
    });
    return undefined;
  }
  globalThis.testedHost ??= startWithConsole();
  const { service, stop } = await globalThis.testedHost;
  provide('service', service);
  // Vitest ends all projects together.
  return stop;
}

/** All hosts of a test run serve the same files. */
async function startWithConsole(): Promise<ForkedHost> {
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/console-${process.pid}`, import.meta.url));
  await buildConsole(folder, { isCompressed: false });
  process.env.CONSOLE_FILES = folder;
  const host = await forkHost();
  const stop = async () => {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...host, stop };
}
