// Functions that no route calls: what feeds them, and what they may use.
import type { Use } from './route.ts';

interface EventSource {
  readonly entry: string;
  readonly timeoutSeconds: number;
  readonly uses: readonly Use[];
}

interface QueueSource extends EventSource {
  readonly source: 'runQueue';
  readonly batchSize: number;
  /** Deliveries of a message until SQS moves it to the dead-letter queue. */
  readonly receiveCountMax: number;
}

interface LogSource extends EventSource {
  /** The lines of all functions' logs that hold audit records. */
  readonly source: 'auditLines';
  /** Tries after the first, one and two minutes later; then the event goes to the dead-letter queue. */
  readonly retriesMax: 0 | 1 | 2;
  /** How long an event may wait when Lambda has no room to start the function; 6 is the most that Lambda allows. */
  readonly ageHoursMax: number;
}

export const eventSources = {
  runQueued: {
    entry: 'run/run-queued',
    source: 'runQueue',
    // SQS wants a visibility timeout of at least six times this.
    timeoutSeconds: 900,
    batchSize: 10,
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
  recordAudit: {
    entry: 'access/record-audit',
    source: 'auditLines',
    timeoutSeconds: 60,
    retriesMax: 2,
    ageHoursMax: 6,
    uses: ['audit.write'],
  },
} as const satisfies Record<string, QueueSource | LogSource>;
