// What limits the runs of a tenant: settings of its file, quotas of AWS, and partitions of DynamoDB that runs share. With
// the answer to each.
import { parseTenant } from '#lib/infra/tenant.ts';
import { limits, windowSeconds } from '#lib/limits/tenant-limits.ts';
import type { RunUse, SharedPartition, StartedBy } from './measure.ts';
import type { Resource } from './model.ts';

export interface Setup {
  readonly title: string;
  /** Whether the settings of the tenant file and the quotas of the account are raised. */
  readonly isRaised: boolean;
  /** Each with one workspace, one flow, one API key, and the same part of the runs. */
  readonly organisations: number;
}

export const setups: readonly Setup[] = [
  { title: 'as installed', isRaised: false, organisations: 1 },
  { title: 'raised, one workspace', isRaised: true, organisations: 1 },
  { title: 'raised, 100 organisations', isRaised: true, organisations: 100 },
];

const installed = parseTenant(
  { id: 'scale', models: { one: { provider: 'bedrock', model: 'm' } }, modelDefault: 'one' },
  'test/support/scale',
);
const callerLimits = limits.parse(installed.limits ?? {});

/** Defaults of AWS for an account in a Region, and what an account gets that asks for more. */
const quotas = {
  /** API Gateway, "Throttle quota per account, per Region". */
  gatewayRequests: { installed: 10_000, raised: 20_000 },
  /** Lambda, "Concurrent executions". */
  concurrency: { installed: 1_000, raised: 10_000 },
  /** DynamoDB, "Table-level write throughput quota" of a table on demand. */
  tableWriteUnits: { installed: 40_000, raised: 400_000 },
} as const;

/** Fixed: "every partition is designed to deliver 3,000 read units and 1,000 write units a second". */
const partition = { readUnits: 3_000, writeUnits: 1_000 };

/** What the schema of the tenant file allows at most. */
const most = { workerConcurrency: 1_000, waitingRuns: 500, requests: 1_000_000 };

export function resourcesOf(startedBy: StartedBy, use: RunUse, setup: Setup): Resource[] {
  const level = setup.isRaised ? 'raised' : 'installed';
  return [
    ...doors(setup),
    ...(startedBy === 'event' ? workers(setup) : waitingRuns(setup)),
    { name: 'Lambda, concurrent executions', limit: quotas.concurrency[level], isConcurrent: true, use: 1 },
    { name: 'DynamoDB, write units of a table', limit: quotas.tableWriteUnits[level], use: use.writeUnits },
    ...use.shared.flatMap((shared) => partitionResources(shared, setup)),
  ].filter(({ use: units }) => units > 0);
}

function doors({ isRaised, organisations }: Setup): Resource[] {
  const perSecond = (requests: number) => (organisations * requests) / windowSeconds;
  return [
    isRaised
      ? {
          name: 'API Gateway, requests of an account',
          limit: quotas.gatewayRequests.raised,
          use: 1,
          isDoor: true,
        }
      : { name: '`throttle`', limit: installed.throttle.rate, use: 1, isDoor: true },
    {
      name: '`key_requests`',
      limit: perSecond(isRaised ? most.requests : callerLimits.key_requests),
      burstSeconds: windowSeconds,
      use: 1,
      isDoor: true,
    },
  ];
}

const workers = ({ isRaised }: Setup): Resource[] => [
  {
    name: '`workerConcurrency`',
    limit: isRaised ? most.workerConcurrency : installed.workerConcurrency,
    isConcurrent: true,
    use: 1,
  },
];

const waitingRuns = ({ isRaised, organisations }: Setup): Resource[] => [
  {
    name: '`key_waiting_runs`',
    limit: organisations * (isRaised ? most.waitingRuns : callerLimits.key_waiting_runs),
    isConcurrent: true,
    use: 1,
  },
];

/** Runs of another organisation have a partition of their own, unless the name has no organisation. */
function partitionResources(
  { name, readUnits, writeUnits }: SharedPartition,
  { organisations }: Setup,
): Resource[] {
  const count = /\{(org|ws|flow|build|key)\}/.test(name) ? organisations : 1;
  return [
    { name: `writes of ${name}`, limit: count * partition.writeUnits, burstSeconds: 300, use: writeUnits },
    { name: `reads of ${name}`, limit: count * partition.readUnits, burstSeconds: 300, use: readUnits },
  ];
}

/** The answer to the limit, for each that a scenario reaches. */
export function answerTo(name: string): string {
  const found = answers.find(([pattern]) => pattern.test(name));
  if (!found) throw new Error(`Write an answer for the limit "${name}" in test/support/scale/scenarios.ts.`);
  return found[1];
}

const answers: readonly (readonly [RegExp, string])[] = [
  [/^`throttle`/, 'Raise it in the tenant file, up to the quota of the account.'],
  [/^`key_requests`/, 'Raise it in the tenant file, or give each client a key of its own.'],
  [
    /^`key_waiting_runs`/,
    'Raise it in the tenant file, up to 500. Beyond that, start runs in the background or by events: nobody waits for them.',
  ],
  [
    /^`workerConcurrency`/,
    'Raise it in the tenant file, up to 1,000, the most that an event source mapping of SQS takes. Beyond that, one tenant becomes several stacks, in several accounts.',
  ],
  [/^Lambda/, 'Ask for a higher quota: it is one of the account, so tenants that share an account share it.'],
  [/^API Gateway/, 'Ask for a higher quota, or put tenants into several accounts.'],
  [/^DynamoDB, write units/, 'Ask for a higher quota of the table.'],
  [
    /LIMIT#/,
    'The permits of an organisation are one item, so that their number is exact. Background runs and events take none. Several items, each with a part of the permits, would share the writes.',
  ],
  [
    /WSRUNS#/,
    'The list of the runs of a workspace, and of a flow, newest first, is one partition of an index. Divide the work into workspaces. Several partitions for a workspace would share the writes, and each page of the list would read them all.',
  ],
  [/TASKS#/, 'The tasks of one key with one agent are one partition: give each client a key of its own.'],
  [
    /(FLOW|ENV|AGENT)#/,
    'What a run reads of its flow does not change between runs: processes could keep it for a second, at the price of changes that apply a second later.',
  ],
];
