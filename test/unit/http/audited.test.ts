// Which requests leave an audit record.
import { describe, expect, test } from 'vitest';
import { isAudited } from '#lib/http/route.ts';
import { routeList, routes } from '#lib/routes/routes.ts';

describe('an audit record', () => {
  test.each(routeList)('%s: is not written for a method that its path does not have', (_id, route) => {
    expect(isAudited(route, 405)).toBe(false);
  });

  test.each([200, 400, 404, 409, 500])(
    'is written of a request of the management API that ends with %i',
    (status) => {
      expect(isAudited(routes.revokeApiKey, status)).toBe(true);
    },
  );

  test.each([
    [200, false],
    [401, true],
    [403, true],
    [404, false],
    [429, false],
  ])('of a request to start a run that ends with %i: %s', (status, isWritten) => {
    expect(isAudited(routes.startRun, status)).toBe(isWritten);
  });
});
