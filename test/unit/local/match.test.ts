// Which route takes a request.
import { describe, expect, test } from 'vitest';
import type { Method } from '#lib/local/api.ts';
import { matcher } from '#lib/local/match.ts';

const method = (httpMethod: string, path: string): Method => ({
  httpMethod,
  path,
  resourceId: path,
  authorizerName: undefined,
  integration: { kind: 'lambda', functionName: 'Fn', isStreaming: false, timeoutMillis: 1000 },
});

const find = matcher([
  method('ANY', '/{proxy+}'),
  method('GET', '/a/{id}'),
  method('GET', '/a/{id}/history'),
  method('GET', '/a/me'),
  method('POST', '/a/me'),
  method('GET', '/'),
  method('GET', '/b/{flow}/{registry}'),
  method('POST', '/b/agents/{registry}'),
  method('GET', '/files/{path+}'),
]);

const found: readonly (readonly [string, string, string, object | null])[] = [
  ['GET', '/', '/', null],
  ['GET', '/a/me', '/a/me', null],
  ['GET', '/a/me/', '/a/me', null],
  ['GET', '/a/7', '/a/{id}', { id: '7' }],
  ['GET', '/a/7/history', '/a/{id}/history', { id: '7' }],
  ['GET', '/a/x%2Fy%20z', '/a/{id}', { id: 'x/y z' }],
  ['GET', '/a/100%', '/a/{id}', { id: '100%' }],
  ['POST', '/b/agents/7', '/b/agents/{registry}', { registry: '7' }],
  ['GET', '/b/f/7', '/b/{flow}/{registry}', { flow: 'f', registry: '7' }],
  ['GET', '/files/a/b.txt', '/files/{path+}', { path: 'a/b.txt' }],
  ['DELETE', '/nowhere/else', '/{proxy+}', { proxy: 'nowhere/else' }],
];

describe('a literal segment takes precedence over a parameter, and a greedy one is last', () => {
  test.each(found)('%s %s matches %s', (httpMethod, path, resource, parameters) => {
    const match = find(httpMethod, path);
    expect(match?.method.path).toBe(resource);
    expect(match?.pathParameters).toEqual(parameters);
  });
});

test('a path whose route lacks the HTTP method does not match less specific routes', () => {
  expect(find('DELETE', '/a/me')).toBeUndefined();
  expect(find('GET', '/b/agents/7')).toBeUndefined();
});

test('an empty segment does not match a parameter', () => {
  expect(matcher([method('GET', '/a/{id}')])('GET', '/a//')).toBeUndefined();
});
