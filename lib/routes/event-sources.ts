// Functions that no route calls: their event sources, and the AWS resources that they use.
import type { EventSource, QueueSource } from '#lib/http/event-source.ts';
import { endsAbandonedRuns, runsFlows } from '#lib/http/route.ts';

interface LogSource extends EventSource {
  /** The log lines of all functions that contain audit records. */
  readonly source: 'auditLines';
  /** Retries, one and two minutes later; then the event is moved to the dead-letter queue. */
  readonly retriesMax: 0 | 1 | 2;
  /**
   * How long an event may wait while Lambda has no capacity to start the function; Lambda allows at most 6
   * hours.
   */
  readonly ageHoursMax: number;
}

interface ClockSource extends EventSource {
  readonly source: 'clock';
  readonly everyMinutes: number;
}

interface AuthorizerSource extends EventSource {
  /** API Gateway, before it calls the function of a route. */
  readonly source: 'authorizer';
  readonly route: string;
}

interface FunctionSource extends EventSource {
  /** Functions that run flows, or serve cards, and wait for the answer. */
  readonly source: 'flows' | 'cards';
}

interface OperatorSource extends EventSource {
  /** Operators, with their own AWS credentials. */
  readonly source: 'operators';
}

export const queueSources = {
  runQueued: {
    entry: 'run/run-queued',
    source: 'runQueue',
    description: 'Runs flows that nobody waits for',
    timeoutSeconds: 900,
    // Twice the memory of a synchronous run: for large snapshots, and for the compute thread beside the
    // heartbeats.
    memoryMegabytes: 1024,
    // Runs, and so organisations, never share a process: a worker that is killed interrupts only the run that
    // used up its memory or time.
    batchSize: 1,
    concurrencyMax: 'tenant',
    // Leaves room for throttled deliveries, which also count as receives.
    receiveCountMax: 5,
    feedsItself: true,
    hides: true,
    uses: [...runsFlows, 'runQueue.park'],
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
    description:
      'Delivers callbacks of runs, push notifications of A2A tasks, and spans to sinks of telemetry',
    timeoutSeconds: 60,
    memoryMegabytes: 512,
    batchSize: 10,
    concurrencyMax: 10,
    receiveCountMax: 5,
    // After a failed attempt, and for waits of hours, the function sends a message to its own queue.
    feedsItself: true,
    uses: [
      'signingSecrets.read',
      'flowKey.open',
      ...endsAbandonedRuns,
      'deliveries.write',
      'callbacks.call',
      'files.read',
      'runQueue.park',
      'control.read',
      'cursorKey.derive',
      'connections.refresh',
      'roles.assume',
      'sinks.note',
    ],
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
  authorizeConnector: {
    entry: 'connector/authorize',
    source: 'authorizer',
    route: 'callConnector',
    timeoutSeconds: 10,
    uses: ['signingKey.publicKey', 'control.read', 'credentials.note'],
  },

  migrate: {
    entry: 'migration/migrate',
    source: 'operators',
    // A slice of a job: short enough for somebody who watches its progress.
    timeoutSeconds: 45,
    uses: ['control.read', 'migrations.run', 'registry.write', 'signingKey.publicKey'],
  },

  evaluateCode: { entry: 'run/evaluate-code', source: 'flows', timeoutSeconds: 10, uses: [] },

  signCard: {
    entry: 'a2a/sign-card',
    source: 'cards',
    timeoutSeconds: 10,
    uses: ['control.read', 'cardSignatures.write', 'signingKey.publicKey', 'signingKey.sign'],
  },
} as const satisfies Record<
  string,
  QueueSource | LogSource | ClockSource | AuthorizerSource | OperatorSource | FunctionSource
>;
