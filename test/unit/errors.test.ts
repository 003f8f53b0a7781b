import { describe, expect, test } from 'vitest';
import { errorTable, findWorkspace, inWorkspace, ServiceError } from '#lib/errors.ts';
import { problemAnswer } from '#lib/http/problem.ts';
import { routeList } from '#lib/routes/routes.ts';

describe('the error table', () => {
  test.each(Object.entries(errorTable))(
    '%s has an HTTP error status, and a title without a final period',
    (_code, row) => {
      expect(row.status).toBeGreaterThanOrEqual(400);
      expect(row.status).toBeLessThan(600);
      expect(row.title).toMatch(/^[A-Z].*[^.]$/);
    },
  );

  test('some route can answer with each code', () => {
    const used = new Set([...routeList.flatMap(([, route]) => route.errors), 'internal']);
    expect(Object.keys(errorTable).filter((code) => !used.has(code))).toEqual([]);
  });
});

test('a service error has its detail, or else its title, as message, and keeps its cause', () => {
  const cause = new Error('inside');
  expect(new ServiceError('row_not_found').message).toBe('No such registry row');
  expect(new ServiceError('row_not_found', { detail: 'Here.', cause })).toMatchObject({
    message: 'Here.',
    detail: 'Here.',
    cause,
  });
});

describe('the workspace of an error', () => {
  const failing = async (error: Error) =>
    await inWorkspace({ workspaceid: 'ws_a' }, Promise.reject(error)).catch((thrown: unknown) => thrown);

  test('is that of the resource in use, also for an error of a library', async () => {
    for (const error of [new ServiceError('version_conflict'), new TypeError('x')]) {
      expect(await failing(error)).toBe(error);
      expect(findWorkspace(error)).toBe('ws_a');
    }
  });

  test('does not change if the error already has one', async () => {
    expect(findWorkspace(await failing(new ServiceError('row_not_found', { workspaceid: 'ws_b' })))).toBe(
      'ws_b',
    );
  });

  test('is undefined if no resource was found', () => {
    expect(findWorkspace(new ServiceError('row_not_found'))).toBeUndefined();
    expect(findWorkspace('ws_a')).toBeUndefined();
  });

  test('is not shown to callers', async () => {
    const error = new ServiceError('version_conflict', { workspaceid: 'ws_hidden' });
    expect(JSON.stringify(problemAnswer(error, 'id'))).not.toContain('ws_hidden');
  });
});
