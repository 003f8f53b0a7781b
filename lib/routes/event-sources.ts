// Functions that no route calls: what feeds them, and what they may use.
import type { EventSource, QueueSource } from '#lib/http/event-source.ts';
import { endsAbandonedRuns, runsFlows } from '#lib/http/route.ts';

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
    entry: 'dead-letter/keep',
    source: 'deadLetters',
    description: 'Files messages that could not be run, where their workspace finds them',
    timeoutSeconds: 30,
    memoryMegabytes: 512,
    batchSize: 10,
    concurrencyMax: 2,
    uses: ['deadLetters.write', 'flowKey.seal'],
  },

  deliverCallback: {
    entry: 'callback/deliver',
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
    entry: 'audit/record',
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
