import { describe, expect, test } from 'vitest';
import { errorTable, ServiceError } from '#lib/errors.ts';
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
