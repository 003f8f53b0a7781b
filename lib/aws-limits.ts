// Limits of AWS that data of callers can reach. What each limits, its source, which data reaches it and what
// the service answers then is in `docs/aws-limits.md`, which `test/api/aws-limits.test.ts` writes, with a
// case for each.

const KiB = 1_024;
const MiB = 1_024 * KiB;

export const awsLimits = {
  kmsMessageBytes: 4_096,
  kmsPlaintextBytes: 4_096,
  kmsContextBytes: 8_192,

  dynamoItemBytes: 400 * KiB,
  dynamoPartitionKeyBytes: 2_048,
  dynamoSortKeyBytes: 1_024,
  /** Key attributes, also those of indexes, may not be empty. */
  dynamoKeyBytesMin: 1,
  dynamoTransactionItems: 100,
  dynamoTransactionBytes: 4 * MiB,
  dynamoBatchGetItems: 100,
  dynamoBatchWriteItems: 25,
  dynamoQueryBytes: MiB,
  dynamoNumberDigits: 38,
  dynamoNestingLevels: 32,
  dynamoExpressionBytes: 4 * KiB,
  dynamoExpressionOperators: 300,

  sqsMessageBytes: MiB,
  sqsBatchEntries: 10,
  sqsDelaySeconds: 900,
  sqsGroupIdCharacters: 128,
  sqsAttributes: 10,

  lambdaRequestBytes: 6 * MiB,
  lambdaAnswerBytes: 6 * MiB,
  lambdaStreamBytes: 200 * MiB,

  gatewayBodyBytes: 10 * MiB,
  gatewayHeaderBytes: 10_240,

  logEventBytes: 256 * KiB,
  metricDimensionCharacters: 1_024,
} as const;

export type AwsLimit = keyof typeof awsLimits;
