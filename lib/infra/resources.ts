// The permissions and environment variables of each `Use` in the route table, beside those of `function.ts`, which all have.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { EnvName } from '#lib/env.ts';
import type { Use } from '#lib/http/route.ts';
import { bedrockStatements } from './bedrock.ts';
import { egressEnvironment, fileEnvironment, modelEnvironment } from './environment.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { invokes } from './invocation.ts';
import { type ModelSecrets, readModelSecrets } from './model-secrets.ts';
import type { Queues } from './queues.ts';
import {
  allow,
  allowOnItems,
  customerRoles,
  indexArns,
  migrationStatements,
  onItems,
  reads,
  registryStatements,
  writes,
} from './statements.ts';
import { controlIndexes, runsIndexes, tasksIndex, type UsedTable } from './tables.ts';
import type { Tenant } from './tenant.ts';

export interface Resources extends Queues {
  readonly tenant: Tenant;
  readonly control: UsedTable;
  readonly runs: UsedTable;
  /** The contents of files. */
  readonly files: Bucket;
  readonly flowKey: Key;
  /** Signs API keys and Agent Cards. */
  readonly signingKey: IKey;
  /** Its signatures are also accepted, while keys are rotated. */
  readonly otherSigningKey: IKey | undefined;
  /** The key that authenticates cursors is derived from it. */
  readonly cursorKey: Key;
  /** The keys of the tenant's models. Undefined for the local host, which has them as variables. */
  readonly modelSecrets: ModelSecrets | undefined;
  /** Evaluates the code of flows. Undefined while it is created itself. */
  readonly codeFunction: LambdaFunction | undefined;
  /** Signs cards. Undefined while it is created itself. */
  readonly cardSigner: LambdaFunction | undefined;
  /** With which people sign in; nobody can without it. */
  readonly identityProvider: IdentityProvider | undefined;
}

export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Partial<Record<EnvName, string>>;
}

export const grants: Record<Use, (resources: Resources) => Grant> = {
  'control.read': ({ control }) => ({
    statements: [
      allow(reads, [control.tableArn]),
      allow(['dynamodb:Query'], indexArns(control, controlIndexes)),
    ],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'migrations.run': ({ control }) => ({
    statements: migrationStatements(control),
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'registry.write': ({ control }) => ({
    statements: registryStatements(control),
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'receipts.write': ({ control }) => ({
    statements: [allowOnItems(control, ['IDEM#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'triggers.write': ({ control }) => ({
    statements: [allowOnItems(control, ['TRIGGER#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'triggers.advance': ({ control }) => ({
    statements: [allowOnItems(control, ['TRIGGER#*'], ['dynamodb:PutItem', 'dynamodb:UpdateItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'environments.write': ({ control }) => ({
    statements: [allowOnItems(control, ['ENV#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'sinks.note': ({ control }) => ({
    statements: [allowOnItems(control, ['SINK#*'], ['dynamodb:UpdateItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'runs.read': ({ runs }) => ({
    statements: [allow(reads, [runs.tableArn])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'runs.get': ({ runs }) => ({
    statements: [allowOnItems(runs, ['RUN#*'], ['dynamodb:GetItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'runs.follow': ({ runs }) => ({
    statements: [allowOnItems(runs, ['RUN#*'], reads)],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'runs.list': ({ runs }) => ({
    statements: [
      allow(['dynamodb:Query'], indexArns(runs, runsIndexes)),
      allowOnItems(runs, ['LIMIT#RUNS#*'], ['dynamodb:GetItem']),
      allowOnItems(runs, ['RUN#*'], ['dynamodb:BatchGetItem']),
    ],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'tasks.list': ({ runs }) => ({
    statements: [allow(['dynamodb:Query'], indexArns(runs, [tasksIndex]))],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'runs.write': ({ runs, tenant }) => ({
    // The table also contains the audit trail, which functions that run flows must not change.
    statements: [
      allowOnItems(runs, ['RUN#*', 'NEEDS#*', 'EVENT#*', 'LIMIT#*', 'CONTEXT#*'], writes),
      allowOnItems(runs, ['USAGE#*'], ['dynamodb:UpdateItem']),
    ],
    environment: {
      RUNS_TABLE: runs.tableName,
      BACKGROUND_LIMIT_SECONDS: String(tenant.backgroundLimitSeconds),
      RUN_RETENTION_DAYS: String(tenant.runRetentionDays),
    },
  }),
  'usage.read': ({ runs }) => ({
    statements: [allowOnItems(runs, ['USAGE#*'], ['dynamodb:Query'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'budgets.write': ({ control }) => ({
    statements: [allowOnItems(control, ['BUDGET#*'], ['dynamodb:UpdateItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'values.write': ({ runs }) => ({
    statements: [allowOnItems(runs, ['MEMORY#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'files.write': (resources) => ({
    statements: [
      allowOnItems(resources.runs, ['FILE#*'], ['dynamodb:PutItem']),
      allowOnItems(resources.runs, ['FILES#*'], ['dynamodb:GetItem', 'dynamodb:UpdateItem']),
      allow(['s3:PutObject'], [resources.files.arnForObjects('*')]),
      bucketKeyUse('kms:GenerateDataKey', resources),
    ],
    environment: fileEnvironment(resources),
  }),
  'files.read': (resources) => ({
    statements: [
      allowOnItems(resources.runs, ['FILE#*'], ['dynamodb:GetItem']),
      allow(['s3:GetObject'], [resources.files.arnForObjects('*')]),
      // Without it, S3 answers 403 instead of 404 for what is not there.
      allow(['s3:ListBucket'], [resources.files.bucketArn]),
      bucketKeyUse('kms:Decrypt', resources),
    ],
    environment: fileEnvironment(resources),
  }),
  'files.delete': (resources) => ({
    statements: [
      allowOnItems(resources.runs, ['FILE#*'], ['dynamodb:GetItem', 'dynamodb:DeleteItem']),
      allowOnItems(resources.runs, ['FILES#*'], ['dynamodb:UpdateItem']),
      allow(['s3:DeleteObject'], [resources.files.arnForObjects('*')]),
    ],
    environment: fileEnvironment(resources),
  }),
  'values.list': ({ runs }) => ({
    statements: [allowOnItems(runs, ['MEMORY#*'], ['dynamodb:Query'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'values.delete': ({ runs }) => ({
    statements: [allowOnItems(runs, ['MEMORY#*'], ['dynamodb:DeleteItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'waiting.take': ({ runs }) => ({
    statements: [allowOnItems(runs, ['NEEDS#*'], ['dynamodb:Query', 'dynamodb:BatchWriteItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'events.send': ({ runs }) => ({
    statements: [
      allowOnItems(runs, ['EVENT#*'], ['dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:BatchWriteItem']),
    ],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'flowKey.seal': (resources) => flowKeyGrant('kms:GenerateDataKey', resources),
  'flowKey.open': (resources) => flowKeyGrant('kms:Decrypt', resources),
  'signingKey.sign': ({ signingKey }) => ({
    statements: [allow(['kms:Sign'], [signingKey.keyArn], { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' })],
    environment: { SIGNING_KEY_ID: signingKey.keyId },
  }),
  'signingKey.publicKey': ({ signingKey, otherSigningKey }) => ({
    statements: [
      allow(
        ['kms:GetPublicKey'],
        [signingKey, otherSigningKey].flatMap((key) => key?.keyArn ?? []),
      ),
    ],
    environment: {
      SIGNING_KEY_ID: signingKey.keyId,
      ...(otherSigningKey && { SIGNING_KEY_ID_OTHER: otherSigningKey.keyId }),
    },
  }),
  'cursorKey.derive': ({ cursorKey }) => ({
    statements: [allow(['kms:GenerateMac'], [cursorKey.keyArn], { 'kms:MacAlgorithm': 'HMAC_SHA_256' })],
    environment: { CURSOR_KEY_ID: cursorKey.keyId },
  }),
  'runQueue.send': ({ runQueue }) => ({
    statements: [allow(['sqs:SendMessage'], [runQueue.queueArn])],
    environment: { RUN_QUEUE_URL: runQueue.queueUrl },
  }),
  'runQueue.park': ({ deadLetters }) => ({
    statements: [allow(['sqs:SendMessage'], [deadLetters.queueArn])],
    environment: { RUN_DEAD_LETTER_QUEUE_URL: deadLetters.queueUrl },
  }),
  'deadLetters.read': ({ runs }) => ({
    statements: [allowOnItems(runs, ['DEAD#*'], ['dynamodb:GetItem', 'dynamodb:Query'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'deadLetters.write': ({ runs, tenant }) => ({
    statements: [allowOnItems(runs, ['DEAD#*'], ['dynamodb:UpdateItem'])],
    environment: { RUNS_TABLE: runs.tableName, RUN_RETENTION_DAYS: String(tenant.runRetentionDays) },
  }),
  'deliveryQueue.send': ({ deliveryQueue }) => ({
    statements: [allow(['sqs:SendMessage'], [deliveryQueue.queueArn])],
    environment: { DELIVERY_QUEUE_URL: deliveryQueue.queueUrl },
  }),
  'deliveries.write': ({ runs }) => ({
    statements: [allowOnItems(runs, ['RUN#*'], ['dynamodb:UpdateItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'callbacks.call': ({ tenant }) => ({ statements: [], environment: egressEnvironment(tenant) }),
  'keys.create': ({ control }) => ({
    statements: [allowOnItems(control, ['KEY#*'], ['dynamodb:PutItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'keys.revoke': ({ control }) => ({
    statements: [allowOnItems(control, ['KEY#*'], ['dynamodb:UpdateItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'credentials.note': ({ control }) => ({
    statements: [
      new PolicyStatement({
        actions: ['dynamodb:UpdateItem'],
        resources: [control.tableArn],
        conditions: onItems(['KEY#*', 'SESSION#*'], ['pk', 'sk', 'last_used_at']),
      }),
    ],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'sessions.write': ({ control }) => ({
    statements: [allowOnItems(control, ['SESSION#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'authorizations.write': ({ control }) => ({
    statements: [
      allowOnItems(
        control,
        ['OAUTH#*', 'GRANT#*'],
        ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      ),
    ],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'members.join': ({ control }) => ({
    statements: [
      allowOnItems(control, ['USER#*'], ['dynamodb:PutItem']),
      allowOnItems(control, ['INVITE#*'], ['dynamodb:DeleteItem']),
      // The number of owners.
      allowOnItems(control, ['ORG#*'], ['dynamodb:UpdateItem']),
    ],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'invitations.write': ({ control }) => ({
    statements: [allowOnItems(control, ['INVITE#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'members.write': ({ control }) => ({
    statements: [
      allowOnItems(control, ['USER#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem']),
      allowOnItems(control, ['INVITE#*'], ['dynamodb:DeleteItem']),
      // The number of owners.
      allowOnItems(control, ['ORG#*'], ['dynamodb:UpdateItem']),
    ],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'credentials.end': ({ control }) => ({
    statements: [allowOnItems(control, ['SESSION#*', 'GRANT#*'], ['dynamodb:BatchWriteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'workspaces.write': ({ control }) => ({
    statements: [allowOnItems(control, ['ORG#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'identityProvider.call': ({ tenant, identityProvider }) => ({
    // Its endpoints are public, so no permission is needed.
    statements: [],
    environment: {
      ...(identityProvider && {
        SIGN_IN_ISSUER: identityProvider.issuer,
        SIGN_IN_CLIENT_ID: identityProvider.clientId,
      }),
      ...(identityProvider?.clientSecret && { SIGN_IN_CLIENT_SECRET: identityProvider.clientSecret }),
      ...(identityProvider?.emailDomains && { SIGN_IN_EMAIL_DOMAINS: identityProvider.emailDomains }),
      ...egressEnvironment(tenant),
    },
  }),
  'userPool.createAccount': ({ identityProvider }) => {
    const pool = identityProvider?.accounts;
    if (!pool) return { statements: [], environment: {} };
    return {
      statements: [allow(['cognito-idp:AdminCreateUser'], [pool.arn])],
      environment: { SIGN_IN_USER_POOL_ID: pool.id },
    };
  },
  'connections.write': ({ control }) => ({
    statements: [allowOnItems(control, ['CONN#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'configurationLinks.spend': ({ runs }) => ({
    statements: [allowOnItems(runs, ['RUN#*'], ['dynamodb:PutItem', 'dynamodb:UpdateItem'])],
    environment: { RUNS_TABLE: runs.tableName },
  }),
  'connections.refresh': ({ control }) => ({
    statements: [allowOnItems(control, ['CONN#*'], ['dynamodb:PutItem', 'dynamodb:UpdateItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'roles.assume': () => ({
    statements: [allow(['sts:AssumeRole', 'sts:TagSession'], [customerRoles])],
    environment: {},
  }),
  'signingSecrets.read': ({ control }) => ({
    statements: [allowOnItems(control, ['SECRET#*'], ['dynamodb:GetItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'signingSecrets.write': ({ control }) => ({
    statements: [allowOnItems(control, ['SECRET#*'], ['dynamodb:PutItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'audit.write': ({ runs, tenant }) => ({
    statements: [allowOnItems(runs, ['AUDIT#*'], ['dynamodb:BatchWriteItem'])],
    environment: {
      RUNS_TABLE: runs.tableName,
      AUDIT_RETENTION_DAYS: String(tenant.auditRetentionDays),
    },
  }),
  'limits.count': ({ runs, tenant }) => ({
    statements: [allowOnItems(runs, ['LIMIT#*'], ['dynamodb:UpdateItem'])],
    environment: {
      RUNS_TABLE: runs.tableName,
      ...(tenant.limits && { LIMITS: JSON.stringify(tenant.limits) }),
    },
  }),
  'origins.allow': ({ tenant: { browserOrigins } }) => ({
    statements: [],
    environment: browserOrigins.length > 0 ? { BROWSER_ORIGINS: browserOrigins.join(',') } : {},
  }),
  'rootAgent.find': ({ tenant: { rootAgent } }) => ({
    statements: [],
    environment: rootAgent === undefined ? {} : { ROOT_AGENT: rootAgent },
  }),
  'connectorTools.offer': ({ tenant: { connectorSearchTools } }) => ({
    statements: [],
    environment: connectorSearchTools ? { CONNECTOR_SEARCH_TOOLS: 'true' } : {},
  }),
  'catalog.publish': ({ tenant: { catalog } }) => ({
    statements: [],
    environment: catalog
      ? { CATALOG_PUBLISHER: catalog.publisher, ...(catalog.name && { CATALOG_NAME: catalog.name }) }
      : {},
  }),
  'code.evaluate': ({ codeFunction }) => invokes(codeFunction, 'CODE_FUNCTION_NAME'),
  'cards.sign': ({ cardSigner }) => invokes(cardSigner, 'CARD_SIGNER_NAME'),
  'cardSignatures.write': ({ control }) => ({
    statements: [allowOnItems(control, ['CARD#*'], ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'])],
    environment: { CONTROL_TABLE: control.tableName },
  }),
  'models.call': ({ tenant, modelSecrets }) => ({
    statements: [...bedrockStatements(tenant.models), ...readModelSecrets(modelSecrets)],
    environment: {
      ...modelEnvironment(tenant),
      RUN_LIMIT_SECONDS: String(tenant.runLimitSeconds),
      CANCEL_ON_DISCONNECT: String(tenant.cancelOnDisconnect),
      ...(modelSecrets && { MODEL_SECRETS_PREFIX: modelSecrets.prefix }),
      ...egressEnvironment(tenant),
    },
  }),
  'models.list': ({ tenant }) => ({ statements: [], environment: modelEnvironment(tenant) }),
};

/** Only by S3, for the bucket of files: with a bucket key, the bucket is the encryption context. */
const bucketKeyUse = (action: string, { flowKey, files }: Resources): PolicyStatement =>
  allow([action], [flowKey.keyArn], { 'kms:EncryptionContext:aws:s3:arn': files.bucketArn });

/** The condition refuses every call that does not name this tenant in its encryption context. */
function flowKeyGrant(action: string, { flowKey, tenant }: Resources): Grant {
  return {
    statements: [allow([action], [flowKey.keyArn], { 'kms:EncryptionContext:tenant': tenant.id })],
    environment: { FLOW_KEY_ID: flowKey.keyId },
  };
}
