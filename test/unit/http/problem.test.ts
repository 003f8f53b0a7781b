import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type ErrorCode, errorTable, ServiceError } from '#lib/errors.ts';
import { addIssues, asServiceError, problem, problemAnswer } from '#lib/http/problem.ts';
import { newMistakeList } from '#lib/mistakes.ts';

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable);

describe.each(codes)('%s', (code) => {
  const answer = problemAnswer(
    new ServiceError(code, { detail: 'Because.', cause: new Error('inside') }),
    'request-1',
  );

  test('becomes RFC 9457 problem details without its cause', () => {
    const body = problem.parse(JSON.parse(answer.body));
    expect(answer.statusCode).toBe(errorTable[code].status);
    expect(body).toEqual({
      type: `urn:agent-flow:error:${code}`,
      title: errorTable[code].title,
      status: errorTable[code].status,
      detail: 'Because.',
      instance: 'request-1',
      code,
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    });
  });

  test('has Retry-After if a retry helps, and WWW-Authenticate if it is given a challenge', () => {
    expect('retry-after' in answer.headers).toBe('retryAfterSeconds' in errorTable[code]);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    const challenge = 'Bearer realm="agent-flow"';
    const challenged = problemAnswer(new ServiceError(code), 'request-1', { challenge });
    expect(challenged.headers['www-authenticate']).toBe(challenge);
  });
});

describe('a thrown error becomes', () => {
  const thrown = (more: object) => Object.assign(new Error('secret of ours'), more);

  test.each<[ErrorCode, unknown]>([
    ['internal', new TypeError('secret of ours')],
    ['internal', 'secret of ours'],
    ['internal', undefined],
    ['internal', thrown({ statusCode: 418 })],
    ['internal', thrown({ statusCode: 415 })],
    ['internal', thrown({ statusCode: 422 })],
    ['dependency_unavailable', thrown({ name: 'ThrottlingException' })],
    ['dependency_unavailable', thrown({ code: 'ECONNREFUSED' })],
  ])('%s', (code, error) => {
    const service = asServiceError(error);
    expect(service.code).toBe(code);
    expect(problemAnswer(service, 'request-1').body).not.toContain('secret');
  });

  test('itself if it is a ServiceError', () => {
    const error = new ServiceError('row_not_found');
    expect(asServiceError(error)).toBe(error);
  });
});

test('each unknown member is a separate error, and pointers are escaped (RFC 6901)', () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({ n: z.number() })) });
  const { error } = schema.safeParse({ list: [{ n: 1 }, { n: 'x', 'a/b': 1, 'c~d': 2 }], e: 1 });
  const list = newMistakeList();
  addIssues(list, 'body', error?.issues ?? []);
  const pointers = list.listed.map(({ pointer }) => pointer);
  expect(pointers.sort()).toEqual(['/body/e', '/body/list/1/a~1b', '/body/list/1/c~0d', '/body/list/1/n']);
});
