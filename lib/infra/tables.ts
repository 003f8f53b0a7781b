// The two DynamoDB tables of a tenant. docs/data-model.md describes their items.
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** A table that functions use, whether it is in the template or not. */
export type UsedTable = Pick<Table, 'tableArn' | 'tableName' | 'metric'>;

export const controlIndexes = ['gsi1', 'gsi2', 'gsi3'] as const;
export const runsIndexes = ['gsi1', 'gsi2'] as const;
/** A2A tasks by caller. */
export const tasksIndex = 'gsi3';
/**
 * The attributes of runs in lists. None changes more often than the status, since each change updates both
 * indexes. The list is fixed under these names of indexes: docs/data-model.md, "Change an index".
 */
const listedOfRuns = [
  'run_id',
  'status',
  'trigger',
  'trigger_id',
  'environment',
  'flowid',
  'a2aregistryid',
  'build_no',
  'deadline',
  'created_at',
  'ended_at',
];

/** The attributes of A2A tasks in lists. They change with the state, which is part of the key. */
const listedOfTasks = ['status', 'as', 'context_id'];

/** Registry rows, flows, keys: few and small items, changed by transactions. */
export function controlTable(scope: Construct, isProtected: boolean): Table {
  const table = newTable(scope, 'ControlTable', isProtected);
  return withIndexes(table, controlIndexes, { projectionType: ProjectionType.ALL });
}

/** Runs and their events: many items, append-only, deleted after their `ttl`. */
export function runsTable(scope: Construct, isProtected: boolean): Table {
  const projection = { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: listedOfRuns };
  const table = withIndexes(newTable(scope, 'RunsTable', isProtected), runsIndexes, projection);
  return withIndexes(table, [tasksIndex], {
    projectionType: ProjectionType.INCLUDE,
    nonKeyAttributes: listedOfTasks,
  });
}

/**
 * The table that functions use: that of the template, or the one with the name. A restored table is not in the template;
 * that of the template stays as it is (docs/decisions/0079-restored-tables.md).
 */
export const usedTable = (scope: Construct, own: Table, name: string | undefined): UsedTable =>
  name === undefined ? own : Table.fromTableName(scope, `Used${own.node.id}`, name);

function withIndexes(
  table: Table,
  indexes: readonly string[],
  projection: { readonly projectionType: ProjectionType; readonly nonKeyAttributes?: string[] },
): Table {
  for (const indexName of indexes) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: `${indexName}pk`, type: AttributeType.STRING },
      sortKey: { name: `${indexName}sk`, type: AttributeType.STRING },
      ...projection,
    });
  }
  return table;
}

/** `isProtected`: with deletion protection, which would also keep CloudFormation from rolling back a first deployment. */
function newTable(scope: Construct, id: string, isProtected: boolean): Table {
  return new Table(scope, id, {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: 'ttl',
    deletionProtection: isProtected,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}
