// Functions that no route calls: what feeds them, and what they may use.
import { endsAbandonedRuns, runsFlows, type Use } from './route.ts';

interface EventSource {
  readonly entry: string;
  readonly timeoutSeconds: number;
  readonly uses: readonly Use[];
}

export interface QueueSource extends EventSource {
  /** SQS wants its visibility timeout to be at least six times `timeoutSeconds`. */
  readonly source: 'runQueue' | 'deadLetters' | 'deliveryQueue';
  readonly description: string;
  readonly memoryMegabytes: number;
  readonly batchSize: number;
  /** Batches, which are workers, at work at the same time, 2 to 1000; `tenant`: as the tenant file says. */
  readonly concurrencyMax: number | 'tenant';
  /** Deliveries of a message until SQS moves it to the dead-letter queue; absent: it comes again until it expires. */
  readonly receiveCountMax?: number;
  /** Sends messages to the queue that feeds it, more than the 16 times after which Lambda would step in. */
  readonly feedsItself?: boolean;
  /** Hides messages a short time at once, so that those of a worker that dies come back soon. */
  readonly hides?: boolean;
}

interface LogSource extends EventSource {
  /** The lines of all functions' logs that hold audit records. */
  readonly source: 'auditLines';
  /** Tries after the first, one and two minutes later; then the event goes to the dead-letter queue. */
  readonly retriesMax: 0 | 1 | 2;
  /** How long an event may wait when Lambda has no room to start the function; 6 is the most that Lambda allows. */
  readonly ageHoursMax: number;
}

interface ClockSource extends EventSource {
  readonly source: 'clock';
  readonly everyMinutes: number;
}

export const queueSources = {
  runQueued: {
    entry: 'run/run-queued',
    source: 'runQueue',
    description: 'Runs flows that nobody waits for',
    timeoutSeconds: 900,
    // Twice what a run has that somebody waits for: large snapshots, and the thread that evaluates beside the heartbeats.
    memoryMegabytes: 1024,
    // No two runs, and so no two organisations, share a process: a worker that is killed takes one run with it, which is the one that is charged.
    batchSize: 1,
    concurrencyMax: 'tenant',
    // Leaves room for throttled deliveries, which count as well.
    receiveCountMax: 5,
    feedsItself: true,
    hides: true,
    uses: [...runsFlows, 'runQueue.park', 'deliveryQueue.send'],
  },

  keepDeadLetter: {
    entry: 'run/keep-dead-letter',
    source: 'deadLetters',
    description: 'Files messages that could not be run, where their workspace finds them',
    timeoutSeconds: 30,
    memoryMegabytes: 512,
    batchSize: 10,
    concurrencyMax: 2,
    uses: ['deadLetters.write', 'flowKey.seal'],
  },

  deliverCallback: {
    entry: 'run/deliver-callback',
    source: 'deliveryQueue',
    description: 'Tells receivers that runs are over',
    timeoutSeconds: 60,
    memoryMegabytes: 512,
    batchSize: 10,
    concurrencyMax: 10,
    receiveCountMax: 5,
    // An attempt that fails and a wait of hours are messages to itself.
    feedsItself: true,
    uses: ['signingSecrets.read', 'flowKey.open', ...endsAbandonedRuns, 'deliveries.write', 'callbacks.call'],
  },
} as const satisfies Record<string, QueueSource>;

export const eventSources = {
  ...queueSources,

  recordAudit: {
    entry: 'access/record-audit',
    source: 'auditLines',
    timeoutSeconds: 60,
    retriesMax: 2,
    ageHoursMax: 6,
    uses: ['audit.write'],
  },

  fireDue: {
    entry: 'trigger/fire-due',
    source: 'clock',
    everyMinutes: 1,
    timeoutSeconds: 55,
    uses: ['control.read', 'triggers.advance', 'runQueue.send'],
  },
} as const satisfies Record<string, QueueSource | LogSource | ClockSource>;
