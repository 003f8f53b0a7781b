// The local SQS: fauxqs in this process, bound to loopback, with the queues of the template.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';
import * as z from 'zod';
import { accountId, region } from './account.ts';
import { awsJson } from './aws-json.ts';

type Stores = NonNullable<BuildAppOptions['stores']>;
type Store = Stores['sqsStore'];
type Persistence = NonNullable<Store['persistence']>;

export type Sqs = {
  readonly endpoint: string;
  readonly createQueue: (name: string, queue: QueueResource) => Promise<void>;
  /** Messages by state. A message in flight was received, is not deleted and has not timed out. */
  readonly inspect: (name: string) => {
    readonly ready: number;
    readonly delayed: number;
    readonly inFlight: string[];
  };
  /** Makes delayed messages and the given messages in flight receivable now, as if their time had passed. */
  readonly flushDelayed: (name: string, receiptHandles: readonly string[]) => void;
  readonly close: () => Promise<void>;
};

/** CloudFormation uses numbers and objects for attributes that are strings in the SQS API. */
export const queueResource = z.object({
  VisibilityTimeout: z.coerce.string().optional(),
  MessageRetentionPeriod: z.coerce.string().optional(),
  DelaySeconds: z.coerce.string().optional(),
  MaximumMessageSize: z.coerce.string().optional(),
  ReceiveMessageWaitTimeSeconds: z.coerce.string().optional(),
  ContentBasedDeduplication: z.coerce.string().optional(),
  FifoQueue: z.coerce.string().optional(),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .transform((policy) => JSON.stringify(policy))
    .optional(),
});
type QueueResource = z.output<typeof queueResource>;

export async function startSqs(dataDir: string | undefined): Promise<Sqs> {
  const { buildApp } = await import('fauxqs');
  const stores = await newStores();
  stores.sqsStore.host = '';
  stores.sqsStore.region = region;
  // Not startFauxqs, which listens on all network interfaces.
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const persistence = dataDir ? await openPersistence(dataDir, endpoint, stores) : undefined;
  return {
    endpoint,
    createQueue: (name, queue) => createQueue(endpoint, name, queue),
    inspect: (name) => inspect(stores.sqsStore, name),
    flushDelayed: (name, receiptHandles) => flushDelayed(stores.sqsStore, name, receiptHandles),
    close: async () => {
      await app.close();
      persistence?.close();
    },
  };
}

/**
 * The package exports only the server; its stores are imported by file. Its version is pinned, and a test
 * covers it.
 */
async function newStores(): Promise<Stores> {
  const { SqsStore }: { SqsStore: new () => Store } = await importFile('sqs/sqsStore.js');
  const { SnsStore }: { SnsStore: new () => Stores['snsStore'] } = await importFile('sns/snsStore.js');
  const { S3Store }: { S3Store: new () => Stores['s3Store'] } = await importFile('s3/s3Store.js');
  return { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
}

const importFile = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);

async function openPersistence(dataDir: string, endpoint: string, stores: Stores): Promise<Persistence> {
  try {
    return await restore(dataDir, endpoint, stores);
  } catch (cause) {
    throw new Error(`The local queues in ${dataDir} cannot be opened; "npm run reset" deletes them.`, {
      cause,
    });
  }
}

/** Loads before it connects, since loading while connected would write every message again. */
async function restore(dataDir: string, endpoint: string, stores: Stores): Promise<Persistence> {
  mkdirSync(dataDir, { recursive: true });
  const { PersistenceManager }: { PersistenceManager: new (folder: string) => Persistence } =
    await importFile('persistence.js');
  const persistence = new PersistenceManager(dataDir);
  // Queue URLs contain the port of the previous start.
  using database = new DatabaseSync(join(dataDir, 'fauxqs.db'));
  database.prepare('UPDATE sqs_queues SET url = ? || name').run(`${endpoint}/${accountId}/`);
  // Nobody handles what the previous start left in flight, perhaps in a poll that was aborted.
  database.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  stores.sqsStore.persistence = persistence;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = persistence;
  return persistence;
}

async function createQueue(endpoint: string, name: string, queue: QueueResource): Promise<void> {
  const { FifoQueue, ...settings } = queue;
  const fixed = FifoQueue ? { FifoQueue } : {};
  const answer = await awsJson(endpoint, 'AmazonSQS.CreateQueue', { QueueName: name, Attributes: fixed });
  // A queue of a previous start gets the attributes of the current template.
  await awsJson(endpoint, 'AmazonSQS.SetQueueAttributes', {
    QueueUrl: answer.QueueUrl,
    Attributes: settings,
  });
}

function inspect(store: Store, name: string) {
  const messages = store.inspectQueue(name)?.messages;
  return {
    ready: messages?.ready.length ?? 0,
    delayed: messages?.delayed.length ?? 0,
    inFlight: messages?.inflight.map(({ receiptHandle }) => receiptHandle) ?? [],
  };
}

function flushDelayed(store: Store, name: string, receiptHandles: readonly string[]): void {
  const queue = store.getQueueByName(name);
  for (const handle of receiptHandles) queue?.changeVisibility(handle, 0);
  for (const message of store.inspectQueue(name)?.messages.delayed ?? []) message.delayUntil = 1;
  queue?.processTimers();
}
