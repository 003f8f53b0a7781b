// What the limits of `lib/aws-limits.ts` are of, who says so, what data of callers meets them, and what the service does then. The page
// docs/aws-limits.md is made of this.
import { type AwsLimit, awsLimits } from '#lib/aws-limits.ts';

interface Row {
  readonly service: 'KMS' | 'DynamoDB' | 'SQS' | 'Lambda' | 'API Gateway' | 'CloudWatch';
  readonly operations: string;
  /** Said of the number, such as `bytes of a message`. */
  readonly of: string;
  readonly source: string;
  readonly metBy: string;
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
    of: 'bytes of a message',
    source: kms,
    metBy: 'cards, keys',
    outcome: 'never met: KMS gets the digest of what is signed, and a fixed label',
  },
  kmsPlaintextBytes: {
    service: 'KMS',
    operations: 'Encrypt',
    of: 'bytes of plaintext',
    source: kms,
    metBy: 'flows, snapshots, credentials',
    outcome: 'never met: KMS gives a data key, which encrypts here',
  },
  kmsContextBytes: {
    service: 'KMS',
    operations: 'GenerateDataKey, Decrypt',
    of: 'bytes of an encryption context',
    source: kms,
    metBy: 'ids of organisations, workspaces, flows',
    outcome: 'ids have 64 characters at most, else 400',
  },
  dynamoItemBytes: {
    service: 'DynamoDB',
    operations: 'writes',
    of: 'bytes of an item',
    source: dynamo,
    metBy: 'cards, tool configurations, variables, inputs of runs',
    outcome:
      '400 with the field at 150,000, 100,000, 50,000 and 350,000 bytes; what is larger is kept in chunks',
  },
  dynamoPartitionKeyBytes: {
    service: 'DynamoDB',
    operations: 'all',
    of: 'bytes of a partition key',
    source: dynamo,
    metBy: 'ids, tags and words of cards',
    outcome: 'ids have 64 characters at most, else 400; values above 32 characters are hashed',
  },
  dynamoSortKeyBytes: {
    service: 'DynamoDB',
    operations: 'all',
    of: 'bytes of a sort key',
    source: dynamo,
    metBy: '`Idempotency-Key`, ids',
    outcome: '400 above 255 characters',
  },
  dynamoKeyBytesMin: {
    service: 'DynamoDB',
    operations: 'all',
    of: 'byte that a key must have at least, in indexes too',
    source: dynamo,
    metBy: 'ids, filters, cursors',
    outcome: '400 with the field; cursors of callers have a MAC',
  },
  dynamoTransactionItems: {
    service: 'DynamoDB',
    operations: 'TransactWriteItems',
    of: 'items of a transaction',
    source: dynamo,
    metBy: 'nothing: the number of items does not depend on what was sent',
    outcome: 'postings of a long card are written before, in batches',
  },
  dynamoTransactionBytes: {
    service: 'DynamoDB',
    operations: 'TransactWriteItems',
    of: 'bytes of a transaction',
    source: dynamo,
    metBy: 'the largest builds',
    outcome: 'a row, its receipt, its history and three search documents are below it together',
  },
  dynamoBatchGetItems: {
    service: 'DynamoDB',
    operations: 'BatchGetItem',
    of: 'items of a batch',
    source: dynamo,
    metBy: 'connections that a flow declares, pages of lists',
    outcome: 'a call for each hundred',
  },
  dynamoBatchWriteItems: {
    service: 'DynamoDB',
    operations: 'BatchWriteItem',
    of: 'items of a batch',
    source: dynamo,
    metBy: 'tags and words of cards, chunks',
    outcome: 'a call for each 25',
  },
  dynamoQueryBytes: {
    service: 'DynamoDB',
    operations: 'Query',
    of: 'bytes of a page',
    source: dynamo,
    metBy: 'flows in chunks, lists of large rows',
    outcome: 'the next page is read too',
  },
  dynamoNumberDigits: {
    service: 'DynamoDB',
    operations: 'writes',
    of: 'digits of a number, up to 1e125',
    source: dynamo,
    metBy: 'numbers in inputs, flows, configurations',
    outcome: 'never met: JSON of callers is stored as text',
  },
  dynamoNestingLevels: {
    service: 'DynamoDB',
    operations: 'writes',
    of: 'levels of a value',
    source: dynamo,
    metBy: 'JSON in inputs, flows, configurations',
    outcome: 'never met: JSON of callers is stored as text; 400 above 100 levels',
  },
  dynamoExpressionBytes: {
    service: 'DynamoDB',
    operations: 'all with expressions',
    of: 'bytes of an expression',
    source: dynamo,
    metBy: 'nothing: expressions are fixed texts, and values stand beside them',
    outcome: 'each value of a filter is a query of its own',
  },
  dynamoExpressionOperators: {
    service: 'DynamoDB',
    operations: 'all with expressions',
    of: 'operators of an expression',
    source: dynamo,
    metBy: 'nothing: expressions are fixed texts',
    outcome: 'each value of a filter is a query of its own',
  },
  sqsMessageBytes: {
    service: 'SQS',
    operations: 'SendMessage, SendMessageBatch',
    of: 'bytes of a message, or of a batch',
    source: sqs,
    metBy: 'events, also when each character is escaped',
    outcome: '413 above 256,000 bytes',
  },
  sqsBatchEntries: {
    service: 'SQS',
    operations: 'SendMessageBatch',
    of: 'messages of a batch',
    source: sqs,
    metBy: 'runs that wait for one connection',
    outcome: 'a call for each ten',
  },
  sqsDelaySeconds: {
    service: 'SQS',
    operations: 'SendMessage',
    of: 'seconds of delay',
    source: sqs,
    metBy: 'waits of flows',
    outcome: 'the message is put off again until it is time',
  },
  sqsGroupIdCharacters: {
    service: 'SQS',
    operations: 'SendMessage',
    of: 'characters of a group id',
    source: sqs,
    metBy: 'ids of organisations, workspaces, flows',
    outcome: 'cut to it',
  },
  sqsAttributes: {
    service: 'SQS',
    operations: 'SendMessage',
    of: 'attributes of a message',
    source: sqs,
    metBy: 'nothing: what callers send is in the body',
    outcome: 'a dead letter has one, its reason',
  },
  lambdaRequestBytes: {
    service: 'Lambda',
    operations: 'Invoke',
    of: 'bytes of a request, where a body is a text in JSON',
    source: lambda,
    metBy: 'bodies; each quote of one counts twice',
    outcome: '413 above 3,000,000 bytes',
  },
  lambdaAnswerBytes: {
    service: 'Lambda',
    operations: 'Invoke',
    of: 'bytes of an answer, where a body is a text in JSON',
    source: lambda,
    metBy: 'lists of large rows, flows, responses of runs',
    outcome: 'a page ends at 4 MB; routes whose answers are larger stream',
  },
  lambdaStreamBytes: {
    service: 'Lambda',
    operations: 'InvokeWithResponseStream',
    of: 'bytes of a streamed answer',
    source: lambda,
    metBy: 'responses and logs of runs',
    outcome: 'a response has 4 MiB at most, its artifacts as much, a log 500 entries',
  },
  gatewayBodyBytes: {
    service: 'API Gateway',
    operations: 'requests',
    of: 'bytes of a body',
    source: gateway,
    metBy: 'bodies',
    outcome: '413, before that at the limit of the route',
  },
  gatewayHeaderBytes: {
    service: 'API Gateway',
    operations: 'requests',
    of: 'bytes of the request line and all headers',
    source: gateway,
    metBy: 'API keys, queries with cursors',
    outcome:
      'the largest key has less than 6,000 bytes, a cursor less than 1,024; beyond, API Gateway refuses with a 4xx',
  },
  logEventBytes: {
    service: 'CloudWatch',
    operations: 'PutLogEvents',
    of: 'bytes of a line, as it was before 2025',
    source: logs,
    metBy: 'ids in audit records and log lines',
    outcome: 'lines hold ids, codes and short reasons; text of callers is cut',
  },
  metricDimensionCharacters: {
    service: 'CloudWatch',
    operations: 'Embedded Metric Format',
    of: 'characters of a dimension',
    source: logs,
    metBy: 'nothing: dimensions are routes, statuses and tenants',
    outcome: 'what callers send is beside the metric and not in it',
  },
};

const number = new Intl.NumberFormat('en');
const isLimit = (name: string): name is AwsLimit => name in awsLimits;

/** The page, as Markdown. */
export function limitsPage(): string {
  const rows = Object.keys(awsLimits)
    .filter(isLimit)
    .map((name) => {
      const { service, operations, of, source, metBy, outcome } = limitRows[name];
      return `| ${service} | ${operations} | ${number.format(awsLimits[name])} ${of} | ${metBy} | ${outcome} | ${source} |`;
    });
  return [
    '# Limits of AWS',
    '',
    'Each limit of an AWS API that data of callers can meet, and what the service does before it is met. `test/api/aws-limits.test.ts` writes this page from',
    '`lib/aws-limits.ts` and `test/support/aws-limits.ts`, and has a case for each row: what meets the limit works, and one more is the answer that is documented here.',
    '',
    '| service | operations | limit | met by | what happens | source |',
    '| ------- | ---------- | ----- | ------ | ------------ | ------ |',
    ...rows,
    '',
  ].join('\n');
}
