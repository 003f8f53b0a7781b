import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { testedService } from '#test/support/tested-service.ts';
import document from '../../../docs/openapi.json' with { type: 'json' };

describe('200', () => {
  test('the document of the repository is served, with the address of this service', async () => {
    const { body, headers } = await call('getOpenapi');
    expect(body).toEqual({ ...document, servers: [{ url: testedService().baseUrl }] });
    expect(headers.get('cache-control')).toContain('max-age');
  });
});
