// The attack corpus of the guarded fetch: what a hostile flow and a hostile name server try. What a hostile
// host tries is in `guarded-fetch-hosts.test.ts`. Nothing here leaves loopback.
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { isPublicAddress } from '#lib/egress/public-address.ts';
import { loopback, noNames } from './loopback.ts';

const noExceptions = { allowPrivate: [] };
const fetch = createGuardedFetch(noExceptions, noNames);

/** A fetch whose names all resolve to these addresses. */
const fetchResolving = (...addresses: string[]) =>
  createGuardedFetch(noExceptions, (_hostname, _options, callback) =>
    callback(null, addresses.map(asAnswer)),
  );

const asAnswer = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

const refused = (code: string) => expect.objectContaining({ name: 'EgressError', code });

describe('an address that is not public is refused in every notation', () => {
  test.each([
    ['dotted', '127.0.0.1'],
    ['decimal', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
    ['octal', '0177.0.0.1'],
    ['short', '127.1'],
    ['mixed and short', '0x7f.1'],
    ['circled digits', '①②⑦.0.0.1'],
    ['full-width digits', '１２７.０.０.１'],
    ['ideographic full stops', '127。0。0。1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['with a final dot', '127.0.0.1.'],
    ['any address', '0.0.0.0'],
    ['zero', '0'],
    ['instance metadata', '169.254.169.254'],
    ['instance metadata, decimal', '2852039166'],
    ['container credentials', '169.254.170.2'],
    ['private 10', '10.0.0.1'],
    ['private 172.16', '172.31.255.255'],
    ['private 192.168', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['benchmarking', '198.19.0.1'],
    ['documentation', '203.0.113.7'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback, long', '[0:0:0:0:0:0:0:1]'],
    ['IPv6 any', '[::]'],
    ['mapped, dotted', '[::ffff:127.0.0.1]'],
    ['mapped, hexadecimal', '[::ffff:7f00:1]'],
    ['mapped public', '[::ffff:8.8.8.8]'],
    ['compatible', '[::127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['local NAT64', '[64:ff9b:1::a00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001::1]'],
    ['unique local', '[fc00::1]'],
    ['IPv6 instance metadata', '[fd00:ec2::254]'],
    ['link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['IPv6 multicast', '[ff02::1]'],
    ['IPv6 documentation', '[2001:db8::1]'],
    ['IPv6 documentation, new', '[3fff::1]'],
    ['discard', '[100::1]'],
    ['segment routing', '[5f00::1]'],
  ])('%s: %s', async (_spelling, host) => {
    await expect(fetch(`https://${host}/`)).rejects.toEqual(refused('egress.private_address'));
  });

  test('every notation of every loopback address is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(0xff_ffff), fc.constantFrom(10, 16, 8), async (host, radix) => {
        const prefix = { 10: '', 16: '0x', 8: '0' }[radix];
        const url = `https://${prefix}${(127 * 2 ** 24 + host).toString(radix)}/`;
        await expect(fetch(url)).rejects.toEqual(refused('egress.private_address'));
      }),
      { numRuns: 50 },
    );
  });

  test('an IPv4 address that is not public is refused when it is embedded in an IPv6 address', () => {
    const hex = (high: number, low: number) => (high * 256 + low).toString(16);
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
        const wrapped = `${hex(a, b)}:${hex(c, d)}`;
        for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '2001::']) {
          expect(isPublicAddress(`${prefix}${wrapped}`)).toBe(false);
        }
        expect(isPublicAddress(`2002:${wrapped}::1`)).toBe(false);
      }),
    );
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '172.32.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('the public address %s is allowed', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each(['', 'localhost', '1.2.3', 'fe80::1%lo', '2606:4700::1111%lo', '::ffff:8.8.8.8'])(
    '"%s" does not count as a public address',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
});

describe('a name is checked by the addresses that it resolves to', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['instance metadata', ['169.254.169.254']],
    ['IPv6 loopback', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['one private address among public ones', ['8.8.8.8', '10.0.0.1', '1.1.1.1']],
    ['a scoped address', ['fe80::1%eth0']],
  ])('a name that resolves to %s is refused', async (_what, addresses) => {
    await expect(fetchResolving(...addresses)('https://hostile.test/')).rejects.toEqual(
      refused('egress.private_address'),
    );
  });

  test.each(['localhost', 'localhost.', 'metadata.google.internal', '127.0.0.1.nip.test'])(
    '%s is refused',
    async (host) => {
      await expect(fetchResolving('127.0.0.1')(`https://${host}/`)).rejects.toEqual(
        refused('egress.private_address'),
      );
    },
  );

  test('a name that later resolves to a private address is refused: every request resolves once and connects to that address', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const abort = new AbortController();
    const rebinding = createGuardedFetch(noExceptions, (_hostname, _options, callback) => {
      // Ends the first request between its lookup and its connection, which would leave this machine.
      if (answers.length === 2) abort.abort();
      callback(null, [asAnswer(answers.shift() ?? 'exhausted')]);
    });
    await expect(rebinding('https://rebind.test/', { signal: abort.signal })).rejects.toThrow(/abort/i);
    expect(answers).toEqual(['127.0.0.1']);
    await expect(rebinding('https://rebind.test/')).rejects.toEqual(refused('egress.private_address'));
  });

  test('the message names the host and not the address behind it', async () => {
    await expect(fetchResolving('10.1.2.3')('https://internal.test/')).rejects.toThrow(
      /^The host "internal\.test" is not on the public internet\.$/,
    );
  });

  test('a name without an address fails like any unreachable host', async () => {
    await expect(fetch('https://nowhere.test/')).rejects.toThrow(new TypeError('fetch failed'));
    await expect(fetchResolving()('https://nowhere.test/')).rejects.toThrow(new TypeError('fetch failed'));
  });
});

describe('a URL other than https without credentials is refused', () => {
  test.each([
    ['http://example.com/', 'egress.scheme'],
    ['ftp://example.com/', 'egress.scheme'],
    ['file:///etc/passwd', 'egress.scheme'],
    ['data:text/plain,hello', 'egress.scheme'],
    ['javascript:alert(1)', 'egress.scheme'],
    ['gopher://127.0.0.1:25/', 'egress.scheme'],
    ['blob:https://example.com/1', 'egress.scheme'],
    ['https://user:hunter2@example.com/', 'egress.credentials_in_url'],
    ['https://user@example.com/', 'egress.credentials_in_url'],
    ['https://example.com@127.0.0.1/', 'egress.credentials_in_url'],
    ['https://example.com\r\n.evil.test/', 'egress.url'],
    ['https://example.com/\tpath', 'egress.url'],
    ['/relative', 'egress.url'],
    ['https://', 'egress.url'],
    ['https://exa mple.com/', 'egress.url'],
    ['', 'egress.url'],
  ])('%j: %s', async (url, code) => {
    await expect(fetch(url)).rejects.toEqual(refused(code));
  });

  test('no error message repeats a password', async () => {
    await expect(fetch('https://user:hunter2@example.com/')).rejects.not.toThrow(/hunter2/);
  });
});

describe('a header cannot change the rest of the request', () => {
  test.each([
    ['a line break in a value', { 'x-a': 'b\r\nHost: evil.test' }],
    ['a line break at the end of a value', { 'x-a': 'b\r\n' }],
    ['a bare line feed', { 'x-a': 'b\nx-c: d' }],
    ['a null byte', { 'x-a': 'b\0c' }],
    ['a wide character that narrows to a line feed', { 'x-a': 'b\u010ac' }],
    ['a line break in a name', { 'x-a\r\nx-b': 'c' }],
    ['a colon in a name', { 'x-a:b': 'c' }],
    ['Host', { Host: 'evil.test' }],
    ['Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }],
    ['Content-Length', { 'content-length': '0' }],
    ['Connection', { connection: 'x-a' }],
    ['Upgrade', { upgrade: 'h2c' }],
    ['Proxy-Authorization', { 'proxy-authorization': 'Basic x' }],
    ['TE', { te: 'trailers' }],
    ['Expect', { expect: '100-continue' }],
  ])('%s is refused', async (_what, headers) => {
    await expect(fetch('https://example.com/', { headers })).rejects.toEqual(refused('egress.header'));
  });

  test('headers are checked in every form that fetch accepts', async () => {
    for (const headers of [
      [['Host', 'evil.test']] satisfies [string, string][],
      new Headers({ host: 'evil.test' }),
    ]) {
      await expect(fetch('https://example.com/', { headers })).rejects.toEqual(refused('egress.header'));
    }
  });

  test('no error message repeats a value', async () => {
    const headers = { authorization: 'Bearer hunter2\n' };
    await expect(fetch('https://example.com/', { headers })).rejects.not.toThrow(/hunter2/);
  });

  test.each(['CONNECT', 'TRACE', 'GET / HTTP/1.1\r\nx: y'])('the method %j is refused', async (method) => {
    await expect(fetch('https://example.com/', { method })).rejects.toEqual(refused('egress.request'));
  });
});

describe('the egress list is enforced', () => {
  test.each([
    ['an empty list', 'https://example.com/', []],
    ['another host', 'https://example.com/', ['example.org']],
    ['a suffix that is not a sub-domain', 'https://evilexample.com/', ['*.example.com']],
    ['the parent of a wildcard', 'https://example.com/', ['*.example.com']],
    ['another port', 'https://example.com:8443/', ['example.com:443']],
    ['a prefix', 'https://example.com.evil.test/', ['example.com']],
    ['a bare star', 'https://example.com/', ['*']],
    ['a final dot', 'https://example.com./', ['example.com']],
  ])('%s does not allow %s', async (_what, url, egress) => {
    await expect(fetch(url, { egress })).rejects.toEqual(refused('egress.host_not_listed'));
  });

  test('a redirect to a host that is not listed is refused', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(302, { location: 'https://example.com/' }).end();
    });
    await expect(server.fetch(server.url, { egress: [server.host] })).rejects.toEqual(
      refused('egress.host_not_listed'),
    );
  });
});
