import { describe, expect, test } from 'vitest';
import { isTransientFailure } from '#lib/aws.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });

const canceled = (...codes: readonly string[]) =>
  named('TransactionCanceledException', {
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: { httpStatusCode: 400 },
  });

describe('errors that are retried', () => {
  test.each([
    named('ThrottlingException'),
    named('ProvisionedThroughputExceededException'),
    named('RequestLimitExceeded'),
    named('TimeoutError'),
    named('InternalServerError'),
    named('KMSInternalException'),
    named('DependencyTimeoutException'),
    named('TransactionConflictException', { $metadata: { httpStatusCode: 400 } }),
    named('TransactionInProgressException'),
    canceled('None', 'TransactionConflict'),
    canceled('ThrottlingError', 'TransactionConflict'),
    canceled('ProvisionedThroughputExceeded', 'None'),
    named('Error', { code: 'ECONNREFUSED' }),
    named('Error', { code: 'ECONNRESET' }),
    named('Strange', { $metadata: { httpStatusCode: 503 } }),
  ])('%s', (error) => expect(isTransientFailure(error)).toBe(true));
});

describe('errors that are not retried', () => {
  test.each([
    named('ValidationException', { $metadata: { httpStatusCode: 400 } }),
    named('AccessDeniedException'),
    named('ConditionalCheckFailedException'),
    named('DisabledException'),
    canceled('ConditionalCheckFailed', 'TransactionConflict'),
    canceled('ValidationError', 'ThrottlingError'),
    canceled('ItemCollectionSizeLimitExceeded'),
    canceled('None'),
    named('TypeError'),
    named('Error', { code: 'ENOENT' }),
    named('Error', { $metadata: null }),
    'ThrottlingException',
    undefined,
  ])('%s', (error) => expect(isTransientFailure(error)).toBe(false));
});
