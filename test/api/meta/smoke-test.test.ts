// The checks of `npm run deploy`, on a service that runs.
import { expect, it } from 'vitest';
import { smokeTest } from '#lib/cli/smoke-test.ts';
import { newCaller } from '#test/support/caller.ts';
import { serviceUrl } from '#test/support/service-url.ts';

it('passes on a service that works, with a key and without', async () => {
  const { key } = await newCaller();
  const gatewayUrl = `${serviceUrl()}/`;
  expect(await smokeTest({ gatewayUrl })).toHaveLength(3);
  expect(await smokeTest({ gatewayUrl, apiKey: key })).toHaveLength(4);
});

it('names the request that fails: a refused key, and a service that does not answer', async () => {
  await expect(smokeTest({ gatewayUrl: serviceUrl(), apiKey: 'none' })).rejects.toThrow(
    /a2a-registry.*: expected status 200, got 401\.$/,
  );
  await expect(smokeTest({ gatewayUrl: 'http://127.0.0.1:1', patienceMs: 0 })).rejects.toThrow(
    /^GET http:\/\/127\.0\.0\.1:1\/health: expected status 200, got /,
  );
});
