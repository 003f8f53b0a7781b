import { describe, expect, test } from 'vitest';
import { errorTable, findWorkspace, inWorkspace, ServiceError } from '#lib/errors.ts';
import { problemAnswer } from '#lib/http/problem.ts';
import { routeList } from '#lib/routes/routes.ts';

describe('the error table', () => {
  test.each(Object.entries(errorTable))(
    '%s is an error of HTTP with a title that ends without a stop',
    (_code, row) => {
      expect(row.status).toBeGreaterThanOrEqual(400);
      expect(row.status).toBeLessThan(600);
      expect(row.title).toMatch(/^[A-Z].*[^.]$/);
    },
  );

  test('every code can be answered by some route', () => {
    const used = new Set([...routeList.flatMap(([, route]) => route.errors), 'internal']);
    expect(Object.keys(errorTable).filter((code) => !used.has(code))).toEqual([]);
  });
});

test('a service error says its detail, else its title, and keeps its cause', () => {
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

  test('is that of the resource that the work was about, also for an error of a library', async () => {
    for (const error of [new ServiceError('version_conflict'), new TypeError('x')]) {
      expect(await failing(error)).toBe(error);
      expect(findWorkspace(error)).toBe('ws_a');
    }
  });

  test('stays the one that the error names already', async () => {
    expect(findWorkspace(await failing(new ServiceError('row_not_found', { workspaceid: 'ws_b' })))).toBe(
      'ws_b',
    );
  });

  test('is none where no resource was found', () => {
    expect(findWorkspace(new ServiceError('row_not_found'))).toBeUndefined();
    expect(findWorkspace('ws_a')).toBeUndefined();
  });

  test('is not part of what callers are shown', async () => {
    const error = new ServiceError('version_conflict', { workspaceid: 'ws_hidden' });
    expect(JSON.stringify(problemAnswer(error, 'id'))).not.toContain('ws_hidden');
  });
});
