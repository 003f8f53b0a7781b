// What AWS charges, for docs/costs.md: list prices of us-east-1, on demand, without free tiers and volume discounts, in dollars. They are
// published at aws.amazon.com/{api-gateway, lambda, dynamodb, kms, sqs}/pricing.

export const pricesAsOf = 'June 2026';

/** For a million. */
export const perMillion = {
  /** REST API, up to 10 MB of a streamed answer. */
  gatewayRequest: 3.5,
  functionCall: 0.2,
  readUnit: 0.125,
  writeUnit: 0.625,
  /** With a symmetric key. */
  kmsRequest: 3,
  /** With an ECC key. */
  kmsSignature: 15,
  /** Of up to 64 KB, to a standard queue with message groups (fair queue). */
  sqsRequest: 0.5,
} as const;

/** arm64, first tier. */
export const functionGigabyteSecond = 0.0000133334;
