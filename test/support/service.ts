// Starts the service once for a test project (vitest globalSetup) and tells the tests where it is. With BASE_URL the same tests run
// against a deployed stack instead.
import type { TestProject } from 'vitest/node';
import { forkHost, type Service } from './forked-host.ts';

declare module 'vitest' {
  interface ProvidedContext {
    service: Service;
  }
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
  const { service, stop } = await forkHost();
  provide('service', service);
  return stop;
}
