// The bucket with the contents of files. docs/files.md describes it.
import type { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

/**
 * Private. S3 encrypts under the key of the tenant's flows, by a key for the bucket, so that KMS is called rarely. Objects
 * expire a day after their items, since S3 counts days from the next midnight UTC.
 */
export function filesBucket(scope: Construct, { runRetentionDays }: Tenant, encryptionKey: Key): Bucket {
  return new Bucket(scope, 'FilesBucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.KMS,
    encryptionKey,
    bucketKeyEnabled: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    lifecycleRules: [
      {
        expiration: Duration.days(runRetentionDays + 1),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}
