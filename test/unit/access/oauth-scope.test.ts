import { expect, test } from 'vitest';
import { oauthScope, oauthScopes, scopeDescriptions } from '#lib/access/oauth-scope.ts';
import { permissions } from '#lib/access/permission.ts';

test('the scopes are the permissions and those of agents', () => {
  expect(new Set(oauthScopes)).toEqual(new Set([...permissions, 'agents:read', 'agents:call']));
  expect(new Set(oauthScopes).size).toBe(oauthScopes.length);
});

test.each(oauthScopes)('%s is a scope token, and a sentence says what it allows', (scope) => {
  // RFC 6749 §3.3, without the characters that a quoted string would escape.
  expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(scopeDescriptions[scope]).toMatch(/^[A-Z].{10,110}\.$/);
});

test('each scope has its own sentence', () => {
  expect(new Set(Object.values(scopeDescriptions)).size).toBe(oauthScopes.length);
});

test.each(['', '*', 'openid', 'agents', 'agents:write', 'AGENTS:READ'])('%j is no scope', (name) => {
  expect(oauthScope.safeParse(name).success).toBe(false);
});
