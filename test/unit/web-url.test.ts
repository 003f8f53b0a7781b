import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sendMessageParams } from '#lib/a2a/params.ts';
import { credentials } from '#lib/connection/credential.ts';
import { egressProblem, staticUrlProblem } from '#lib/flow/format/egress.ts';
import { agentCardInput } from '#lib/registry/row/agent-card-input.ts';
import { callbackUrl } from '#lib/run/callback-url.ts';
import { isWrittenAsUrl, webUrl } from '#lib/web-url.ts';

const card = { name: 'n', description: 'd', skills: [{ id: 'i', name: 'n', description: 'd' }] };
const message = { messageId: 'm', role: 'ROLE_USER' };
const client = { client_id: 'id', client_secret: '12345678' };

/** Every schema that takes a URL of a caller: what it says of one. */
const takers: Readonly<Record<string, (url: string) => string | undefined>> = {
  'provider.url': (url) =>
    agentCardInput.safeParse({ ...card, provider: { organization: 'o', url } }).error?.issues[0]?.message,
  documentationUrl: (url) =>
    agentCardInput.safeParse({ ...card, documentationUrl: url }).error?.issues[0]?.message,
  iconUrl: (url) => agentCardInput.safeParse({ ...card, iconUrl: url }).error?.issues[0]?.message,
  callback_url: (url) => callbackUrl.safeParse(url).error?.issues[0]?.message,
  token_url: (url) =>
    credentials.oauth_client_credentials.safeParse({ ...client, token_url: url }).error?.issues[0]?.message,
  'url of an A2A part': (url) =>
    sendMessageParams.safeParse({ message: { ...message, parts: [{ url }] } }).error?.issues[0]?.message,
  'url of an http node': (url) => egressProblem(url, ['x.example']),
  'url of an MCP server and of an agent': (url) => staticUrlProblem(url, ['x.example']),
};

describe.each(Object.entries(takers))('%s', (_, said) => {
  test('is accepted as it is written', () => {
    expect(said('https://x.example/a?b=c%0D%0A')).toBeUndefined();
  });

  test.each(['\r\n', '\n', '\t', '\u0000', '\u007f', '\u0085'])('is refused with %j in it', (dropped) => {
    for (const url of [
      `https://x.example/a${dropped}b`,
      `https://x.ex${dropped}ample/`,
      `https://x.example/${dropped}`,
    ])
      expect(said(url)).toMatch(/control characters|literal/);
  });

  test.each([' https://x.example/', 'https://x.example/ ', '\u00a0https://x.example/'])(
    'is refused as %j',
    (url) => {
      expect(said(url)).toBeDefined();
    },
  );
});

test('an accepted URL equals its parsed form, except for encoding', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), fc.nat(), (url, more, at) => {
      const text = url.slice(0, at % url.length) + more + url.slice(at % url.length);
      const parsed = URL.parse(text);
      if (!isWrittenAsUrl(text) || !parsed) return;
      expect(webUrl({ error: 'must be a URL' }).parse(text)).toBe(text);
      expect(text).not.toMatch(/[\r\n\t]/);
    }),
  );
});

test('an expression in a URL may span lines', () => {
  expect(egressProblem('https://x.example/{{\n  state.id\n}}', ['x.example'])).toBeUndefined();
  expect(egressProblem('https://x.example/{{ state.id }}\n', ['x.example'])).toMatch('control characters');
});
