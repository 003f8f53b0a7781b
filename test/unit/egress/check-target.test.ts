// The check of a URL that is stored, before anything is sent to it.
import { describe, expect, test } from 'vitest';
import { checkStoredTarget } from '#lib/egress/check-target.ts';
import type { EgressPolicy } from '#lib/egress/egress-policy.ts';
import type { Resolve } from '#lib/egress/public-address.ts';

const nothing: EgressPolicy = { allowPrivate: [] };

/** A name server that knows one set of addresses for every name. */
const resolvesTo =
  (...addresses: string[]): Resolve =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
const fails: Resolve = (_name, _options, callback) =>
  callback(Object.assign(new Error('No such name.'), { code: 'ENOTFOUND' }), []);

const check = async (url: string, resolve: Resolve, policy = nothing) =>
  await checkStoredTarget(url, policy, resolve).then(
    () => 'accepted',
    ({ code }) => code,
  );

describe('a URL', () => {
  test.each([
    ['of a public host', 'https://receiver.example/', resolvesTo('93.184.215.14'), 'accepted'],
    ['whose name does not resolve yet', 'https://receiver.example/', fails, 'accepted'],
    ['without TLS', 'http://receiver.example/', resolvesTo('93.184.215.14'), 'egress.scheme'],
    ['of a private address', 'https://192.168.1.1/', fails, 'egress.private_address'],
    ['of a loopback address', 'https://[::1]/', fails, 'egress.private_address'],
    [
      'of a name with a private address',
      'https://a.example/',
      resolvesTo('10.1.2.3'),
      'egress.private_address',
    ],
    [
      'of a name with one private address among public ones',
      'https://a.example/',
      resolvesTo('93.184.215.14', '169.254.169.254'),
      'egress.private_address',
    ],
    ['with a user name', 'https://me@a.example/', resolvesTo('93.184.215.14'), 'egress.credentials_in_url'],
  ])('%s', async (_, url, resolve, outcome) => {
    expect(await check(url, resolve)).toBe(outcome);
  });

  test('of a private host that the operator allows is accepted', async () => {
    const policy = { allowPrivate: ['127.0.0.1:4010'] };
    expect(await check('http://127.0.0.1:4010/push', fails, policy)).toBe('accepted');
    expect(await check('http://127.0.0.1:4011/push', fails, policy)).toBe('egress.scheme');
  });
});
