import { expect, test } from 'vitest';
import { cancellationReasons, isRefusedForGood } from '#lib/aws-errors.ts';
import { conflictReasons, isFailedConditionReason, readNumber, readString } from '#lib/dynamo/conditions.ts';

const canceled = (reasons: unknown) =>
  Object.assign(new Error('canceled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: reasons,
  });

test('the reasons of a canceled transaction are listed, one per action', () => {
  const item = { live: { S: 'reg_1' } };
  const reasons = cancellationReasons(
    canceled([{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: item }, {}]),
  );
  expect(reasons).toEqual([
    { code: 'None', item: undefined },
    { code: 'ConditionalCheckFailed', item },
    { code: 'None', item: undefined },
  ]);
  expect(reasons?.map(isFailedConditionReason)).toEqual([false, true, false]);
});

test('any other error has no reasons', () => {
  for (const error of [new Error('x'), 'x', undefined, canceled(undefined)])
    expect(cancellationReasons(error)).toBeUndefined();
  expect(isFailedConditionReason(undefined)).toBe(false);
});

const codes = (...Codes: readonly string[]) => canceled(Codes.map((Code) => ({ Code })));

test.each([
  ['ConditionalCheckFailed', 'None'],
  ['TransactionConflict'],
  ['ThrottlingError', 'TransactionConflict'],
])('a transaction that was canceled for %s, %s lost to another writer', (...reasons) => {
  expect(conflictReasons(codes(...reasons))).toHaveLength(reasons.length);
  expect(isRefusedForGood(codes(...reasons))).toBe(false);
});

test.each([['ThrottlingError'], ['ProvisionedThroughputExceeded', 'None']])(
  'one that was canceled for %s lost to nobody, and may succeed later',
  (...reasons) => {
    expect(conflictReasons(codes(...reasons))).toBeUndefined();
    expect(isRefusedForGood(codes(...reasons))).toBe(false);
  },
);

test.each([['ValidationError', 'TransactionConflict'], ['ItemCollectionSizeLimitExceeded']])(
  'one that was canceled for %s is never taken',
  (...reasons) => {
    expect(conflictReasons(codes(...reasons))).toBeUndefined();
    expect(isRefusedForGood(codes(...reasons))).toBe(true);
  },
);

test('a string attribute is read, and other types are ignored', () => {
  const item = { s: { S: 'text' }, n: { N: '1' }, odd: 'text', none: null };
  expect(['s', 'n', 'odd', 'none', 'missing'].map((name) => readString(item, name))).toEqual([
    'text',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(readString(undefined, 's')).toBeUndefined();
});

test('a number attribute is read, and other types are ignored', () => {
  const item = { s: { S: '1' }, n: { N: '12' }, odd: 12, none: null };
  expect(['s', 'n', 'odd', 'none', 'missing'].map((name) => readNumber(item, name))).toEqual([
    undefined,
    12,
    undefined,
    undefined,
    undefined,
  ]);
  expect(readNumber(undefined, 'n')).toBeUndefined();
});
