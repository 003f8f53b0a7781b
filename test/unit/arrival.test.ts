// To which address of the service a request was sent, by what API Gateway says of it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveAgent } from '#lib/a2a-client/agent-endpoint.ts';
import { addresses } from '#lib/addresses.ts';
import { atFirstAddress, findAddress } from '#lib/arrival.ts';

const names = ['GATEWAY_URL', 'OTHER_ADDRESSES'] as const;
const before = names.map((name) => [name, process.env[name]] as const);
const host = 'abc.execute-api.eu-central-1.amazonaws.com';

beforeEach(() => {
  process.env.GATEWAY_URL = `https://${host}/v2`;
  process.env.OTHER_ADDRESSES = `https://old.example.com,https://${host}/main`;
});
afterEach(() => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

describe('the address of a request', () => {
  it.each([
    ['old.example.com', '/console', 'https://old.example.com'],
    ['old.example.com', '/main/x', 'https://old.example.com'],
    [host, '/main/console', `https://${host}/main`],
    [host, '/main', `https://${host}/main`],
    [host, '/v2/console', `https://${host}/v2`],
    [host, '/mainly/console', `https://${host}/v2`],
    ['other.example.com', '/console', `https://${host}/v2`],
    [undefined, undefined, `https://${host}/v2`],
  ])('of the host %s and the path %s is %s', (domainName, path, address) => {
    expect(findAddress({ domainName, path })).toBe(address);
  });

  it('is the first one where there is no other', () => {
    delete process.env.OTHER_ADDRESSES;
    expect(findAddress({ domainName: 'old.example.com', path: '/' })).toBe(`https://${host}/v2`);
  });
});

describe('a page at the first address', () => {
  it.each([
    ['/console', null, '/console'],
    ['/auth/login', { a: ['1 &', '2'], b: undefined }, '/auth/login?a=1+%26&a=2'],
    ['//evil.example.com/', {}, '//evil.example.com/'],
  ])('for %s with %j is below it', (path, query, expected) => {
    expect(atFirstAddress(path, query)).toBe(`https://${host}/v2${expected}`);
  });
});

describe('an agent that a flow names by its URL', () => {
  const target = (agent: string) => ({ agent, egress: [] });
  const trust = (url: string) => resolveAgent(target(url), addresses()).isTrusted;

  it('is one of this service at each of its addresses', () => {
    expect(trust('https://old.example.com/api/v1/ai/a2a/x/')).toBe(true);
    expect(trust(`https://${host}/main/api/v1/ai/a2a/x/`)).toBe(true);
    expect(trust('https://old.example.com.evil.example/api/v1/ai/a2a/x/')).toBe(false);
  });
});
