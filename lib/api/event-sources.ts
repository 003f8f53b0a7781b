// Functions that no route calls: what feeds them, and what they may use.
import type { Use } from './route.ts';

export const eventSources = {
  runQueued: {
    entry: 'run/run-queued',
    source: 'runQueue',
    /** Seconds. SQS wants a visibility timeout of at least six times this. */
    timeoutSeconds: 900,
    batchSize: 10,
    /** Deliveries of a message until SQS moves it to the dead-letter queue. */
    receiveCountMax: 5,
    uses: [
      'control.read',
      'flowKey.open',
      'flowKey.seal',
      'runs.read',
      'runs.write',
      'runQueue.send',
      'runQueue.park',
      'models.call',
      'connections.refresh',
    ],
  },
} as const satisfies Record<
  string,
  {
    entry: string;
    source: 'runQueue';
    timeoutSeconds: number;
    batchSize: number;
    receiveCountMax: number;
    uses: readonly Use[];
  }
>;
