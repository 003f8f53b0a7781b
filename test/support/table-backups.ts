// The control plane of DynamoDB that the embedded engine lacks: settings, backups and restores of tables, over HTTP as the
// SDK speaks it. Everything else goes to the engine. A restored table has the items of its source as they were when
// `remember` was called, and none of its settings, as on AWS.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { awsJson } from '#lib/local/aws-json.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { forward } from './aws-proxy.ts';

interface Settings {
  ttl?: string | undefined;
  pitr: boolean;
  isProtected: boolean;
  tags: { Key: string; Value: string }[];
  summary?: object;
  /** How often it is described before it is ready. */
  busy: number;
}

const input = z.looseObject({
  TableName: z.string().optional(),
  SourceTableName: z.string().default(''),
  TargetTableName: z.string().default(''),
  RestoreDateTime: z.number().optional(),
  BackupArn: z.string().optional(),
  BackupName: z.string().optional(),
  ResourceArn: z.string().default(''),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
  DeletionProtectionEnabled: z.boolean().optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string() }).optional(),
});
type Input = z.output<typeof input>;

const answer = z.object({
  Items: z.array(z.looseObject({})).default([]),
  LastEvaluatedKey: z.looseObject({}).optional(),
  Table: z
    .looseObject({
      KeySchema: z.unknown(),
      AttributeDefinitions: z.unknown(),
      GlobalSecondaryIndexes: z.array(
        z.looseObject({ IndexName: z.string(), KeySchema: z.unknown(), Projection: z.unknown() }),
      ),
    })
    .optional(),
});
type Answer = z.output<typeof answer>;

const arnOf = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
const seconds = (date: Date) => date.getTime() / 1_000;

export async function startTableBackups(engine: string, tables: readonly string[]) {
  const own: Settings = {
    ttl: 'ttl',
    pitr: true,
    isProtected: true,
    tags: [
      { Key: 'tenant', Value: 'test' },
      { Key: 'aws:cloudformation:stack-name', Value: 'AgentFlow-test' },
    ],
    busy: 0,
  };
  const settings = new Map<string, Settings>(tables.map((table) => [table, { ...own }]));
  const backups: { arn: string; table: string; name: string; items: object[] }[] = [];
  const remembered = new Map<string, object[]>();
  const earliest = new Date(Date.now() - 3_600_000);
  const ask = async (operation: string, body: object): Promise<Answer> =>
    answer.parse(await awsJson(engine, `DynamoDB_20120810.${operation}`, body));
  const readAll = async (TableName: string): Promise<object[]> => {
    const items: object[] = [];
    let ExclusiveStartKey: object | undefined;
    do {
      const page = await ask('Scan', {
        TableName,
        ConsistentRead: true,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      });
      items.push(...page.Items);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  };
  const restore = async (source: string, target: string, items: readonly object[], summary: object) => {
    const { Table } = await ask('DescribeTable', { TableName: source });
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table ?? {};
    const indexes = GlobalSecondaryIndexes.map((each) => ({
      IndexName: each.IndexName,
      KeySchema: each.KeySchema,
      Projection: each.Projection,
    }));
    await ask('CreateTable', {
      TableName: target,
      KeySchema,
      AttributeDefinitions,
      GlobalSecondaryIndexes: indexes,
      BillingMode: 'PAY_PER_REQUEST',
    });
    for (const Item of items) await ask('PutItem', { TableName: target, Item });
    settings.set(target, { pitr: false, isProtected: false, tags: [], summary, busy: 2 });
    return { TableDescription: { TableName: target, TableStatus: 'CREATING' } };
  };
  const of = (table: string): Settings => {
    const found = settings.get(table);
    if (found) return found;
    throw Object.assign(new Error(`Table not found: ${table}`), { code: 'ResourceNotFoundException' });
  };
  const answers: Readonly<Record<string, (given: Input, table: string) => object | Promise<object>>> = {
    DescribeTable: async (_, table) => {
      const state = of(table);
      const { Table } = await ask('DescribeTable', { TableName: table });
      state.busy -= 1;
      const TableStatus = state.busy >= 0 ? 'CREATING' : 'ACTIVE';
      return {
        Table: {
          ...Table,
          TableArn: arnOf(table),
          TableStatus,
          DeletionProtectionEnabled: state.isProtected,
          ...(state.summary && { RestoreSummary: state.summary }),
        },
      };
    },
    UpdateTable: ({ DeletionProtectionEnabled = false }, table) => {
      of(table).isProtected = DeletionProtectionEnabled;
      return { TableDescription: {} };
    },
    DescribeTimeToLive: (_, table) => {
      const { ttl } = of(table);
      return {
        TimeToLiveDescription:
          ttl === undefined
            ? { TimeToLiveStatus: 'DISABLED' }
            : { TimeToLiveStatus: 'ENABLED', AttributeName: ttl },
      };
    },
    UpdateTimeToLive: ({ TimeToLiveSpecification }, table) => {
      of(table).ttl = TimeToLiveSpecification?.AttributeName;
      return { TimeToLiveSpecification: { ...TimeToLiveSpecification, Enabled: true } };
    },
    DescribeContinuousBackups: (_, table) => {
      const { pitr } = of(table);
      const times = {
        EarliestRestorableDateTime: seconds(earliest),
        LatestRestorableDateTime: seconds(new Date()),
      };
      return {
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: 'ENABLED',
          PointInTimeRecoveryDescription: {
            PointInTimeRecoveryStatus: pitr ? 'ENABLED' : 'DISABLED',
            ...(pitr && times),
          },
        },
      };
    },
    UpdateContinuousBackups: (_, table) => {
      of(table).pitr = true;
      return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED' } };
    },
    ListTagsOfResource: ({ ResourceArn }) => ({ Tags: of(ResourceArn.split('/').at(-1) ?? '').tags }),
    TagResource: ({ ResourceArn, Tags }) => {
      of(ResourceArn.split('/').at(-1) ?? '').tags.push(...Tags);
      return {};
    },
    ListBackups: (_, table) => ({
      BackupSummaries: backups
        .filter((each) => each.table === table)
        .map(({ arn, name }) => ({
          BackupArn: arn,
          BackupName: name,
          BackupStatus: 'AVAILABLE',
          BackupCreationDateTime: seconds(earliest),
        })),
    }),
    CreateBackup: async ({ BackupName = '' }, table) => {
      const arn = `${arnOf(table)}/backup/${backups.length}`;
      backups.push({ arn, table, name: BackupName, items: await readAll(table) });
      return {
        BackupDetails: {
          BackupArn: arn,
          BackupName,
          BackupStatus: 'CREATING',
          BackupType: 'USER',
          BackupCreationDateTime: seconds(new Date()),
        },
      };
    },
    RestoreTableToPointInTime: async ({
      SourceTableName: source,
      TargetTableName: target,
      RestoreDateTime,
    }) =>
      await restore(source, target, remembered.get(source) ?? [], {
        SourceTableArn: arnOf(source),
        RestoreDateTime,
        RestoreInProgress: true,
      }),
    RestoreTableFromBackup: async ({ BackupArn, TargetTableName }) => {
      const found = backups.find(({ arn }) => arn === BackupArn);
      if (!found) throw Object.assign(new Error('Backup not found'), { code: 'BackupNotFoundException' });
      return await restore(found.table, TargetTableName, found.items, {
        SourceBackupArn: BackupArn,
        RestoreDateTime: seconds(earliest),
        RestoreInProgress: true,
      });
    },
  };
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const answer = answers[operation];
    if (!answer) {
      const passed = await forward({ upstream: engine, request, body });
      return void response.writeHead(passed.status, passed.headers).end(passed.body);
    }
    calls.push(operation);
    const given = input.parse(JSON.parse(body.toString()));
    const reply = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(value));
    try {
      reply(200, await answer(given, given.TableName ?? ''));
    } catch (error) {
      const { code = 'InternalServerError', message } = error as Error & { code?: string };
      reply(400, { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message });
    }
  });
  return {
    url: await listen(server, 0),
    calls,
    settings,
    /** What a restore to this time gives from now on. */
    remember: async () => {
      for (const table of tables) remembered.set(table, await readAll(table));
    },
    close: () => closeServer(server),
  };
}
