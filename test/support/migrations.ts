// A service of its own for migrations, which read all rows, and the rules of a migration in this process: with a clock
// that only pauses move, and processes that are killed at one of their calls.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { requestLog } from '#lib/log.ts';
import type { JobName } from '#lib/migration/job-names.ts';
import { migrate, type Slice, settleMs } from '#lib/migration/migrate.ts';
import type { Progress } from '#lib/migration/progress.ts';
import { startAwsProxy } from './aws-proxy.ts';
import { forkHost } from './forked-host.ts';

export type Item = Record<string, unknown>;

export async function startMigrations(options: Parameters<typeof forkHost>[0] = {}) {
  const host = await forkHost(options);
  Object.assign(process.env, host.service.environment);
  const upstream = host.service.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  let callsLeft = Number.POSITIVE_INFINITY;
  const proxy = await startAwsProxy(upstream, () => {
    callsLeft -= 1;
    return callsLeft < 0 ? 'reset' : 'pass';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  const direct = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: upstream }));
  const TableName = requireEnv('CONTROL_TABLE');
  let now = Date.now();
  return {
    service: host.service,
    put: async (item: Item) => await direct.send(new PutCommand({ TableName, Item: item })),
    /** The items whose partition key begins so. */
    readItems: async (prefix: string): Promise<Item[]> => {
      const all: Item[] = [];
      for await (const { Items = [] } of paginateScan(
        { client: direct },
        { TableName, ConsistentRead: true },
      ))
        all.push(...Items.filter(({ pk }) => String(pk).startsWith(prefix)));
      return all;
    },
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    /** One invocation, which is killed after `killedAfter` calls. */
    slice: async (job: JobName, some: Partial<Slice> & { readonly killedAfter?: number } = {}) => {
      const { killedAfter = Number.POSITIVE_INFINITY, ...options } = some;
      callsLeft = killedAfter;
      const endsAt = now + 25_000 + settleMs;
      try {
        return await migrate({
          job,
          action: 'start',
          writeUnits: 4_000,
          remainingMs: () => endsAt - now,
          now: () => now,
          pause: async (ms) => {
            now += Math.ceil(ms);
          },
          log: requestLog({}),
          ...options,
        });
      } finally {
        callsLeft = Number.POSITIVE_INFINITY;
      }
    },
    close: async () => {
      await proxy.close();
      await host.stop();
    },
  };
}
export type Migrations = Awaited<ReturnType<typeof startMigrations>>;

/** As the command does. */
export async function runToEnd(
  { slice }: Migrations,
  job: JobName,
  some: Partial<Slice> = {},
): Promise<Progress> {
  let progress = await slice(job, some);
  while (progress.state === 'running') progress = await slice(job, { ...some, action: 'continue' });
  return progress;
}
