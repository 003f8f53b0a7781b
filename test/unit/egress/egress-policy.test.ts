// The operator's exceptions, as pure rules.
import { describe, expect, test } from 'vitest';
import { isAllowedPrivate, parseEgressPolicy } from '#lib/egress/egress-policy.ts';

describe('EGRESS_ALLOW_PRIVATE', () => {
  test.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    ['127.0.0.1:4010', ['127.0.0.1:4010']],
    ['127.0.0.1:4010, [::1]:80,orders.test', ['127.0.0.1:4010', '[::1]:80', 'orders.test']],
  ])('%j allows %j', (text, allowPrivate) => {
    expect(parseEgressPolicy(text)).toEqual({ allowPrivate });
  });

  test.each([
    'http://127.0.0.1:4010',
    '127.1:4010',
    'LOCALHOST',
    '127.0.0.1:',
    '*.test',
    'a b',
    '10.0.0.0/8',
    'u@h',
    ':80',
  ])('the entry "%s" is refused by name, because it would never match', (entry) => {
    expect(() => parseEgressPolicy(`127.0.0.1:1,${entry}`)).toThrow(
      `EGRESS_ALLOW_PRIVATE: "${entry}" is not a host or host:port, such as 127.0.0.1:4010.`,
    );
  });

  test.each(['169.254.169.254', '169.254.170.2:80', '[fd00:ec2::254]'])(
    '%s can never be allowed',
    (entry) => {
      expect(() => parseEgressPolicy(entry)).toThrow('is a cloud credential endpoint');
    },
  );

  test('an entry with a port allows only that port, one without allows every port', () => {
    const policy = parseEgressPolicy('127.0.0.1:4010,orders.test');
    expect(isAllowedPrivate(new URL('http://127.0.0.1:4010/x'), policy)).toBe(true);
    expect(isAllowedPrivate(new URL('http://127.0.0.1:4011/x'), policy)).toBe(false);
    expect(isAllowedPrivate(new URL('http://orders.test:99/'), policy)).toBe(true);
    expect(isAllowedPrivate(new URL('http://sub.orders.test/'), policy)).toBe(false);
  });
});
