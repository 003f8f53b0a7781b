// The service that the tests of this process call.
import { inject } from 'vitest';
import type { Service } from './forked-host.ts';

/** Several processes of tests share the services that were started (service.ts), so that none waits for one process alone. */
export function testedService(): Service {
  const service = findTestedService();
  if (!service) throw new Error('No service was started for the tests of this project.');
  return service;
}

/** None for projects that do not start one. */
export function findTestedService(): Service | undefined {
  const services = inject('services') ?? [];
  return services[Number(process.env.VITEST_POOL_ID) % services.length];
}
