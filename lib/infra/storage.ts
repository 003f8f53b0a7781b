// What holds the data of a tenant and outlives its code: tables, keys, the bucket of files, the accounts of people. It is in
// the stack of the tenant, or in one of its own (docs/decisions/0097-storage-stack.md).
import type { CfnUserPool } from 'aws-cdk-lib/aws-cognito';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { filesBucket } from './files.ts';
import { cursorKey, flowKey, signingKey } from './keys.ts';
import { controlTable, runsTable } from './tables.ts';
import type { Tenant } from './tenant.ts';
import { addUserPool } from './user-pool.ts';

export interface Storage {
  readonly control: Table;
  readonly runs: Table;
  readonly flowKey: Key;
  readonly signingKey: Key;
  readonly cursorKey: Key;
  readonly files: Bucket;
  /** If people sign in with Cognito. */
  readonly userPool: CfnUserPool | undefined;
}

interface StorageOptions {
  readonly tenant: Tenant;
  /** Whether tables and the user pool have deletion protection. */
  readonly isProtected: boolean;
}

export function addStorage(scope: Construct, { tenant, isProtected }: StorageOptions): Storage {
  const key = flowKey(scope);
  return {
    control: controlTable(scope, isProtected),
    runs: runsTable(scope, isProtected),
    flowKey: key,
    signingKey: signingKey(scope),
    cursorKey: cursorKey(scope),
    files: filesBucket(scope, tenant, key),
    userPool: addUserPool(scope, tenant, isProtected),
  };
}

/** The stack of its own. Termination protection keeps it, whatever becomes of the stack of the tenant. */
export class StorageStack extends Stack {
  readonly storage: Storage;

  constructor(scope: Construct, id: string, { isProtected, tenant, ...props }: StorageOptions & StackProps) {
    super(scope, id, { ...props, terminationProtection: isProtected });
    this.storage = addStorage(this, { tenant, isProtected });
    for (const value of exported(this.storage)) this.exportValue(value);
  }
}

/**
 * What the stack of a tenant may import. All of it is exported, whether the tenant file makes use of it or not: this stack
 * is deployed first, and CloudFormation refuses to remove an export that the other one still imports.
 */
function exported({ control, runs, files, userPool, ...keys }: Storage): string[] {
  return [
    ...[control, runs].flatMap(({ tableName, tableArn }) => [tableName, tableArn]),
    ...Object.values(keys).flatMap(({ keyId, keyArn }) => [keyId, keyArn]),
    files.bucketName,
    files.bucketArn,
    ...(userPool ? [userPool.ref, userPool.attrArn, userPool.attrProviderUrl] : []),
  ];
}
