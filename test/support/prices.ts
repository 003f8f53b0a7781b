// The prices in docs/costs.md: on-demand list prices of AWS in us-east-1, in US dollars, without free tier
// and volume discounts. They are published at aws.amazon.com/{api-gateway, lambda, dynamodb, kms,
// sqs, cloudwatch, secrets-manager}/pricing.
export const pricesAsOf = 'June 2026';

/** The price of a million. */
export const perMillion = {
  /** A REST API; includes up to 10 MB of a streamed response. */
  gatewayRequest: 3.5,
  functionCall: 0.2,
  readUnit: 0.125,
  writeUnit: 0.625,
  /** With a symmetric key. */
  kmsRequest: 3,
  /** With an ECC key. */
  kmsSignature: 15,
  /** A message of up to 64 KB to a standard queue with message groups (fair queue). */
  sqsRequest: 0.5,
} as const;

/** Of one, in a month. */
export const perMonth = {
  kmsKey: 1,
  /** Of standard resolution. */
  alarmMetric: 0.1,
  compositeAlarm: 0.5,
  dashboard: 3,
  /** Of the first 10,000. */
  metricSeries: 0.3,
  secret: 0.4,
} as const;

/** Of CloudWatch Logs; stored ones are compressed. */
export const logGigabyte = { ingested: 0.5, stored: 0.03 } as const;

/** arm64, first tier. */
export const functionGigabyteSecond = 0.0000133334;
