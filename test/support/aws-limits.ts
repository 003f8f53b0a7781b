// Describes the limits of `lib/aws-limits.ts`: the source, which data of callers can reach them, and what the
// service does before that. docs/aws-limits.md is generated from it.
import { type AwsLimit, awsLimits } from '#lib/aws-limits.ts';
import { quotasSection } from './quotas-section.ts';

interface Row {
  readonly service: 'KMS' | 'DynamoDB' | 'SQS' | 'Lambda' | 'API Gateway' | 'CloudWatch';
  readonly operations: string;
  /** What the number counts, such as `bytes of a message`. */
  readonly unit: string;
  readonly source: string;
  readonly reachedBy: string;
  readonly outcome: string;
}

const kms = 'KMS API reference';
const dynamo = 'DynamoDB developer guide, Quotas';
const sqs = 'SQS developer guide, Message quotas';
const lambda = 'Lambda developer guide, Quotas';
const gateway = 'API Gateway developer guide, Quotas';
const logs = 'CloudWatch developer guides, Quotas';

export const limitRows: Record<AwsLimit, Row> = {
  kmsMessageBytes: {
    service: 'KMS',
    operations: 'Sign, GenerateMac',
    unit: 'bytes of a message',
    source: kms,
    reachedBy: 'cards, keys',
    outcome: 'never reached: KMS receives the digest of the signed data, and a fixed label',
  },
  kmsPlaintextBytes: {
    service: 'KMS',
    operations: 'Encrypt',
    unit: 'bytes of plaintext',
    source: kms,
    reachedBy: 'flows, snapshots, credentials',
    outcome: 'never reached: KMS generates a data key, with which the service encrypts',
  },
  kmsContextBytes: {
    service: 'KMS',
    operations: 'GenerateDataKey, Decrypt',
    unit: 'bytes of an encryption context',
    source: kms,
    reachedBy: 'ids of organisations, workspaces, flows',
    outcome: '400 for ids above 64 characters',
  },
  dynamoItemBytes: {
    service: 'DynamoDB',
    operations: 'writes',
    unit: 'bytes of an item',
    source: dynamo,
    reachedBy: 'cards, tool configurations, variables, inputs of runs',
    outcome:
      '400 that names the field above 150,000, 100,000, 50,000 and 350,000 bytes; larger data is stored in chunks',
  },
  dynamoPartitionKeyBytes: {
    service: 'DynamoDB',
    operations: 'all',
    unit: 'bytes of a partition key',
    source: dynamo,
    reachedBy: 'ids, tags and words of cards',
    outcome: '400 for ids above 64 characters; values above 32 characters are hashed',
  },
  dynamoSortKeyBytes: {
    service: 'DynamoDB',
    operations: 'all',
    unit: 'bytes of a sort key',
    source: dynamo,
    reachedBy: '`Idempotency-Key`, ids',
    outcome: '400 above 255 characters',
  },
  dynamoKeyBytesMin: {
    service: 'DynamoDB',
    operations: 'all',
    unit: 'byte as the minimum of a key, also in indexes',
    source: dynamo,
    reachedBy: 'ids, filters, cursors',
    outcome: '400 that names the field; cursors are authenticated by a MAC',
  },
  dynamoTransactionItems: {
    service: 'DynamoDB',
    operations: 'TransactWriteItems',
    unit: 'items of a transaction',
    source: dynamo,
    reachedBy: 'nothing: the number of items does not depend on the request',
    outcome: 'the index items of a long card are written before, in batches',
  },
  dynamoTransactionBytes: {
    service: 'DynamoDB',
    operations: 'TransactWriteItems',
    unit: 'bytes of a transaction',
    source: dynamo,
    reachedBy: 'the largest builds',
    outcome: 'a row, its idempotency record and its history are smaller together',
  },
  dynamoBatchGetItems: {
    service: 'DynamoDB',
    operations: 'BatchGetItem',
    unit: 'items of a batch',
    source: dynamo,
    reachedBy: 'connections that a flow declares, pages of lists',
    outcome: 'one call for each 100 items',
  },
  dynamoBatchWriteItems: {
    service: 'DynamoDB',
    operations: 'BatchWriteItem',
    unit: 'items of a batch',
    source: dynamo,
    reachedBy: 'tags and words of cards, chunks',
    outcome: 'one call for each 25 items',
  },
  dynamoQueryBytes: {
    service: 'DynamoDB',
    operations: 'Query',
    unit: 'bytes of a page',
    source: dynamo,
    reachedBy: 'flows in chunks, lists of large rows',
    outcome: 'further pages are read',
  },
  dynamoNumberDigits: {
    service: 'DynamoDB',
    operations: 'writes',
    unit: 'digits of a number, up to 1e125',
    source: dynamo,
    reachedBy: 'numbers in inputs, flows, configurations',
    outcome: 'never reached: JSON of callers is stored as text',
  },
  dynamoNestingLevels: {
    service: 'DynamoDB',
    operations: 'writes',
    unit: 'levels of a value',
    source: dynamo,
    reachedBy: 'JSON in inputs, flows, configurations',
    outcome: 'never reached: JSON of callers is stored as text; 400 above 100 levels',
  },
  dynamoExpressionBytes: {
    service: 'DynamoDB',
    operations: 'all with expressions',
    unit: 'bytes of an expression',
    source: dynamo,
    reachedBy: 'nothing: expressions are fixed texts with placeholders for values',
    outcome: 'each value of a filter is a separate query',
  },
  dynamoExpressionOperators: {
    service: 'DynamoDB',
    operations: 'all with expressions',
    unit: 'operators of an expression',
    source: dynamo,
    reachedBy: 'nothing: expressions are fixed texts',
    outcome: 'each value of a filter is a separate query',
  },
  sqsMessageBytes: {
    service: 'SQS',
    operations: 'SendMessage, SendMessageBatch',
    unit: 'bytes of a message, or of a batch',
    source: sqs,
    reachedBy: 'events, even if each character is escaped',
    outcome: '413 above 256,000 bytes',
  },
  sqsBatchEntries: {
    service: 'SQS',
    operations: 'SendMessageBatch',
    unit: 'messages of a batch',
    source: sqs,
    reachedBy: 'runs that wait for one connection',
    outcome: 'one call for each 10 messages',
  },
  sqsDelaySeconds: {
    service: 'SQS',
    operations: 'SendMessage',
    unit: 'seconds of delay',
    source: sqs,
    reachedBy: 'waits of flows',
    outcome: 'the message is delayed again until the time has come',
  },
  sqsGroupIdCharacters: {
    service: 'SQS',
    operations: 'SendMessage',
    unit: 'characters of a group id',
    source: sqs,
    reachedBy: 'ids of organisations, workspaces, flows',
    outcome: 'cut to this length',
  },
  sqsAttributes: {
    service: 'SQS',
    operations: 'SendMessage',
    unit: 'attributes of a message',
    source: sqs,
    reachedBy: 'nothing: data of callers is in the body',
    outcome: 'a dead letter has one, its reason',
  },
  lambdaRequestBytes: {
    service: 'Lambda',
    operations: 'Invoke',
    unit: 'bytes of a request, with the body as a string in JSON',
    source: lambda,
    reachedBy: 'bodies; each quote in them counts twice',
    outcome: '413 above 3,000,000 bytes',
  },
  lambdaAnswerBytes: {
    service: 'Lambda',
    operations: 'Invoke',
    unit: 'bytes of a response, with the body as a string in JSON',
    source: lambda,
    reachedBy: 'lists of large rows, flows, responses of runs',
    outcome: 'a page ends at 4 MB; routes with larger responses stream',
  },
  lambdaStreamBytes: {
    service: 'Lambda',
    operations: 'InvokeWithResponseStream',
    unit: 'bytes of a streamed response',
    source: lambda,
    reachedBy: 'responses and logs of runs',
    outcome: 'at most 4 MiB for a response, 4 MiB for its artifacts and 500 log entries',
  },
  gatewayBodyBytes: {
    service: 'API Gateway',
    operations: 'requests',
    unit: 'bytes of a body',
    source: gateway,
    reachedBy: 'bodies',
    outcome: '413, by the lower limit of the route',
  },
  gatewayHeaderBytes: {
    service: 'API Gateway',
    operations: 'requests',
    unit: 'bytes of the request line and all headers',
    source: gateway,
    reachedBy: 'API keys, queries with cursors',
    outcome:
      'the largest key has less than 6,000 bytes, a cursor less than 1,024; API Gateway answers larger requests with a 4xx',
  },
  logEventBytes: {
    service: 'CloudWatch',
    operations: 'PutLogEvents',
    unit: 'bytes of a log event (the limit until 2025)',
    source: logs,
    reachedBy: 'ids in audit records and log lines',
    outcome: 'lines contain ids, codes and short reasons; text of callers is cut',
  },
  metricDimensionCharacters: {
    service: 'CloudWatch',
    operations: 'Embedded Metric Format',
    unit: 'characters of a dimension',
    source: logs,
    reachedBy: 'nothing: dimensions are surfaces, statuses and tenants',
    outcome: 'data of callers is not part of metrics',
  },
};

const number = new Intl.NumberFormat('en');
const isLimit = (name: string): name is AwsLimit => name in awsLimits;

/** The page, as Markdown. */
export function limitsPage(): string {
  const rows = Object.keys(awsLimits)
    .filter(isLimit)
    .map((name) => {
      const { service, operations, unit, source, reachedBy, outcome } = limitRows[name];
      return `| ${service} | ${operations} | ${number.format(awsLimits[name])} ${unit} | ${reachedBy} | ${outcome} | ${source} |`;
    });
  return [
    '# Limits of AWS',
    '',
    'The limits of AWS APIs that data of callers can reach, and what the service does before that. `test/api/aws-limits.test.ts` generates',
    'this page from `lib/aws-limits.ts` and `test/support/aws-limits.ts`. It has a case for each row: data at the limit is accepted, and data',
    'above it has the outcome in the table. What a deployment takes of the quotas of an account is [below](#what-a-tenant-takes).',
    '',
    '| service | operations | limit | reached by | outcome | source |',
    '| ------- | ---------- | ----- | ---------- | ------- | ------ |',
    ...rows,
    '',
    quotasSection(),
  ].join('\n');
}
