// Environment variables that several uses of the route table have in common.
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { EnvName } from '#lib/env.ts';
import type { UsedTable } from './tables.ts';
import type { Tenant } from './tenant.ts';

interface Stored {
  readonly runs: UsedTable;
  readonly files: Bucket;
  readonly tenant: Tenant;
}

type Environment = Partial<Record<EnvName, string>>;

export const modelEnvironment = ({ models, modelDefault }: Tenant): Environment => ({
  MODELS: JSON.stringify(models),
  MODEL_DEFAULT: modelDefault,
});

/** The private addresses that flows may reach, on the local host only. */
export const egressEnvironment = ({ egressAllowPrivate }: Tenant): Environment =>
  egressAllowPrivate ? { EGRESS_ALLOW_PRIVATE: egressAllowPrivate.join(',') } : {};

export const fileEnvironment = ({ runs, files, tenant }: Stored): Environment => ({
  RUNS_TABLE: runs.tableName,
  FILES_BUCKET: files.bucketName,
  RUN_RETENTION_DAYS: String(tenant.runRetentionDays),
});
