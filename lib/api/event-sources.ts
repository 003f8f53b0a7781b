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
    ],
  },
  fireDue: {
    entry: 'trigger/fire-due',
    source: 'clock',
    everyMinutes: 1,
    timeoutSeconds: 55,
    uses: ['control.read', 'triggers.advance', 'runQueue.send'],
  },
} as const satisfies Record<string, QueueSource | ClockSource>;

interface EventSource {
  readonly entry: string;
  readonly timeoutSeconds: number;
  readonly uses: readonly Use[];
}

interface QueueSource extends EventSource {
  readonly source: 'runQueue';
  readonly batchSize: number;
  readonly receiveCountMax: number;
}

interface ClockSource extends EventSource {
  readonly source: 'clock';
  readonly everyMinutes: number;
}
