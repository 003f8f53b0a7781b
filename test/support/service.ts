// Starts the service for the projects that test it (vitest globalSetup), once for all of them, and tells the
// tests where it is. With BASE_URL the same tests run against a deployed stack instead.
import type { TestProject } from 'vitest/node';
import { forkHostWithConsole } from './console-host.ts';
import type { ForkedHost, Service } from './forked-host.ts';

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
  globalThis.testedHost ??= forkHostWithConsole();
  const { service, stop } = await globalThis.testedHost;
  provide('service', service);
  // Vitest ends all projects together.
  return stop;
}
