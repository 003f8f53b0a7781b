// What tests can ask of the local host beside its routes. Fails with BASE_URL: a deployed stack has no such
// interface.
import { testedService } from './tested-service.ts';

/** Resolves when the queues have nothing that could be delivered now. */
export const idle = (): Promise<void> => command('');

/** Delivers what waits for a delay or a retry, as if its time had passed, and resolves as `idle` does. */
export const flushDelayedMessages = (): Promise<void> => command('/flush-delayed');

/** The same for deliveries alone: less work than with the runs of all tests that wait for a time. */
export const flushDelayedDeliveries = (): Promise<void> => {
  const { DELIVERY_QUEUE_URL = '' } = testedService().environment;
  return command(`/flush-delayed?queue=${DELIVERY_QUEUE_URL.split('/').at(-1)}`);
};

async function command(path: string): Promise<void> {
  const { controlUrl } = testedService();
  if (!controlUrl) throw new Error('This test needs the local host: run it without BASE_URL.');
  await fetch(`${controlUrl}${path}`, { method: 'POST' });
}
