// The two DynamoDB tables of a tenant. Their items are described in docs/data-model.md; nothing here knows them.
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

export const controlIndexes = ['gsi1', 'gsi2', 'gsi3'] as const;

/** Registry rows, flows, keys: few, small, changed by transactions. */
export function controlTable(scope: Construct): Table {
  const table = newTable(scope, 'ControlTable');
  for (const indexName of controlIndexes) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: `${indexName}pk`, type: AttributeType.STRING },
      sortKey: { name: `${indexName}sk`, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
  return table;
}

/** Runs and their events: many, append-only, gone after their `ttl`. */
export function runsTable(scope: Construct): Table {
  return newTable(scope, 'RunsTable');
}

function newTable(scope: Construct, id: string): Table {
  return new Table(scope, id, {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: 'ttl',
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
