// Starts the service for the projects that test it (vitest globalSetup), once for all of them, and tells the
// tests where it is. With BASE_URL the same tests run against a deployed stack instead.
import type { TestProject } from 'vitest/node';
import { forkHostsWithConsole, type StartedHosts } from './console-host.ts';
import type { Service } from './forked-host.ts';

declare module 'vitest' {
  interface ProvidedContext {
    services: readonly Service[];
  }
}

declare global {
  /** Vitest loads this file once for each project. */
  var testedHosts: Promise<StartedHosts> | undefined;
}

/** A host is one process, and is busier than the tests are. Below this number of files a second one is not worth its start. */
const filesForTwo = 10;

export async function setup({ provide, vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { BASE_URL, RECORD_DYNAMODB: recording } = process.env;
  if (BASE_URL) {
    const baseUrl = BASE_URL.replace(/\/$/, '');
    provide('services', [{ baseUrl, environment: {}, tables: {}, queues: {}, keys: {} }]);
    return undefined;
  }
  // The commands of two services would meet in one set of tables when they are repeated.
  const isOne = recording !== undefined || vitest.state.getPaths().length < filesForTwo;
  globalThis.testedHosts ??= forkHostsWithConsole(isOne ? 1 : 2, { recording });
  const { services, stop } = await globalThis.testedHosts;
  provide('services', services);
  // Vitest ends all projects together.
  return stop;
}
