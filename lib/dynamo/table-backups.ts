// Backups of whole tables, and restores into new ones, for commands of operators. A restored table has the items, the
// keys and the indexes of its source, and none of the settings that `copySettings` gives it.
import {
  CreateBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '#lib/aws.ts';

const client = new DynamoDBClient(clientConfig);

export interface RestorableWindow {
  readonly earliest: Date;
  readonly latest: Date;
}

/** Undefined if point-in-time recovery is off. */
export async function readWindow(table: string): Promise<RestorableWindow | undefined> {
  const { ContinuousBackupsDescription: found } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    found?.PointInTimeRecoveryDescription ?? {};
  return earliest && latest && { earliest, latest };
}

export interface Backup {
  readonly arn: string;
  readonly name: string;
  readonly status: string;
  readonly createdAt: Date;
}

/** Those that were made on demand. */
export async function listBackups(table: string): Promise<Backup[]> {
  const backups: Backup[] = [];
  let start: string | undefined;
  do {
    const page = await client.send(
      new ListBackupsCommand({ TableName: table, BackupType: 'USER', ExclusiveStartBackupArn: start }),
    );
    for (const {
      BackupArn,
      BackupName = '',
      BackupStatus = '',
      BackupCreationDateTime,
    } of page.BackupSummaries ?? [])
      if (BackupArn && BackupCreationDateTime)
        backups.push({
          arn: BackupArn,
          name: BackupName,
          status: BackupStatus,
          createdAt: BackupCreationDateTime,
        });
    start = page.LastEvaluatedBackupArn;
  } while (start);
  return backups;
}

export async function createBackup(table: string, name: string): Promise<void> {
  await client.send(new CreateBackupCommand({ TableName: table, BackupName: name }));
}

/** What is restored: the table as it was at a time, or a backup of it. */
export type RestorePoint = { readonly at: Date } | { readonly backupArn: string };

export interface Restore {
  readonly source: string;
  readonly target: string;
  readonly point: RestorePoint;
}

/** Begins the restore, or finds that this very restore was begun before. Throws if the target is something else. */
export async function beginRestore(restore: Restore): Promise<void> {
  const found = await describe(restore.target);
  if (!found) return await sendRestore(restore);
  if (await isOfRestore(found, restore)) return;
  throw new Error(`There is a table ${restore.target}, and it is not this restore of ${restore.source}.`);
}

async function sendRestore({ source, target: TargetTableName, point }: Restore): Promise<void> {
  if ('backupArn' in point)
    await client.send(new RestoreTableFromBackupCommand({ BackupArn: point.backupArn, TargetTableName }));
  else
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName,
        RestoreDateTime: point.at,
      }),
    );
}

async function isOfRestore(found: TableDescription, { source, point }: Restore): Promise<boolean> {
  const { SourceTableArn, SourceBackupArn, RestoreDateTime } = found.RestoreSummary ?? {};
  if ('backupArn' in point) return SourceBackupArn === point.backupArn;
  const { TableArn } = (await describe(source)) ?? {};
  return SourceTableArn === TableArn && RestoreDateTime?.getTime() === point.at.getTime();
}

/** Whether the table and its indexes can be used. */
export async function isRestored(table: string): Promise<boolean> {
  const { TableStatus, GlobalSecondaryIndexes = [] } = await requireTable(table);
  return (
    TableStatus === 'ACTIVE' && GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')
  );
}

export interface TableSettings {
  readonly ttlAttribute: string | undefined;
  readonly isProtected: boolean;
  readonly hasPointInTimeRecovery: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Names, in order. */
  readonly indexes: readonly string[];
}

export async function readSettings(table: string): Promise<TableSettings> {
  const { TableArn, DeletionProtectionEnabled, GlobalSecondaryIndexes = [] } = await requireTable(table);
  const [ttl, window, tags] = await Promise.all([
    client.send(new DescribeTimeToLiveCommand({ TableName: table })),
    client.send(new DescribeContinuousBackupsCommand({ TableName: table })),
    listTags(TableArn ?? ''),
  ]);
  const { TimeToLiveStatus, AttributeName } = ttl.TimeToLiveDescription ?? {};
  const recovery = window.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  return {
    ttlAttribute:
      TimeToLiveStatus === 'ENABLED' || TimeToLiveStatus === 'ENABLING' ? AttributeName : undefined,
    isProtected: DeletionProtectionEnabled ?? false,
    hasPointInTimeRecovery: recovery?.PointInTimeRecoveryStatus === 'ENABLED',
    tags,
    indexes: GlobalSecondaryIndexes.flatMap(({ IndexName }) => IndexName ?? []).sort(),
  };
}

/** Gives the table what it lacks of the settings. It can be repeated. */
export async function copySettings(table: string, wanted: TableSettings): Promise<void> {
  const has = await readSettings(table);
  if (wanted.ttlAttribute !== undefined && has.ttlAttribute !== wanted.ttlAttribute)
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table,
        TimeToLiveSpecification: { Enabled: true, AttributeName: wanted.ttlAttribute },
      }),
    );
  if (!has.hasPointInTimeRecovery)
    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName: table,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
  if (!has.isProtected)
    await client.send(new UpdateTableCommand({ TableName: table, DeletionProtectionEnabled: true }));
  const { TableArn } = await requireTable(table);
  const Tags = Object.entries(wanted.tags).map(([Key, Value]) => ({ Key, Value }));
  if (Tags.length > 0) await client.send(new TagResourceCommand({ ResourceArn: TableArn, Tags }));
}

/** Without those that AWS sets, such as the name of the stack, which nobody else can. */
async function listTags(ResourceArn: string): Promise<Record<string, string>> {
  const tags: Record<string, string> = {};
  let NextToken: string | undefined;
  do {
    const page = await client.send(new ListTagsOfResourceCommand({ ResourceArn, NextToken }));
    for (const { Key = '', Value = '' } of page.Tags ?? []) if (!Key.startsWith('aws:')) tags[Key] = Value;
    NextToken = page.NextToken;
  } while (NextToken);
  return tags;
}

async function requireTable(table: string): Promise<TableDescription> {
  const found = await describe(table);
  if (found) return found;
  throw new Error(`There is no table ${table} in this account and region.`);
}

async function describe(table: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: table }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
