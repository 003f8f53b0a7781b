// A service of its own in this process's environment, for tests that read or change whole tables.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import type { ItemKey, TableName } from '#lib/inventory/kind.ts';
import { forkHost, type Service } from './forked-host.ts';

export type PlainItem = ItemKey & Readonly<Record<string, unknown>>;

export async function startOwnTables(options: Parameters<typeof forkHost>[0] = {}) {
  const host = await forkHost(options);
  const { environment, baseUrl, controlUrl } = host.service;
  Object.assign(process.env, environment);
  const reachAt = (other: Pick<Service, 'baseUrl'>) =>
    Object.assign(process.env, { OWN_SERVICE_URL: other.baseUrl });
  reachAt({ baseUrl });
  return {
    ...tablesOf(environment),
    service: host.service,
    /** Requests go there from now on. */
    reachAt,
    stop: host.stop,
    idle: () => fetch(`${controlUrl}`),
  };
}
export type OwnTables = Awaited<ReturnType<typeof startOwnTables>>;

/** The tables that the environment of functions names. */
export function tablesOf(environment: Readonly<Record<string, string | undefined>>) {
  const client = new DynamoDBClient({ endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '' });
  const documents = DynamoDBDocumentClient.from(client);
  const nameOf = (table: TableName) =>
    environment[table === 'control' ? 'CONTROL_TABLE' : 'RUNS_TABLE'] ?? requireEnv('CONTROL_TABLE');
  return {
    put: async (table: TableName, Item: object) =>
      void (await documents.send(new PutCommand({ TableName: nameOf(table), Item: { ...Item } }))),
    remove: async (table: TableName, { pk, sk }: ItemKey) =>
      void (await documents.send(new DeleteCommand({ TableName: nameOf(table), Key: { pk, sk } }))),
    readAll: async (table: TableName): Promise<PlainItem[]> => {
      const all: PlainItem[] = [];
      for await (const { Items = [] } of paginateScan(
        { client: documents },
        { TableName: nameOf(table), ConsistentRead: true },
      ))
        all.push(...Items.map((item) => ({ ...item, pk: String(item.pk), sk: String(item.sk) })));
      return all;
    },
  };
}
