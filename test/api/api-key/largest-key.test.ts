// The largest API key that the schema takes is made, works wherever a key can be sent, and makes another like
// it. Its token is measured, since API Gateway takes 10,240 bytes for the request line and all headers
// together: a longer one could never be sent.
import fc from 'fast-check';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { permissions } from '#lib/access/permission.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { workspacesOfLargestKey } from '#test/support/largest.ts';
import { testedService } from '#test/support/tested-service.ts';

/**
 * What is left of the 10,240 bytes is for the path, the query with its cursor, and what clients and proxies
 * add.
 */
const tokenBytesMax = 6_000;

/** An organisation whose name is as long as one can be. */
const longestOrgid = () => unique('org').padEnd(64, 'o');

const wanted = fc.record({
  workspaces: fc.shuffledSubarray(workspacesOfLargestKey, { minLength: 48 }),
  scopes: fc.shuffledSubarray([...permissions], { minLength: permissions.length }),
  label: fc.constantFrom('l', 'é', '漢').map((letter) => letter.repeat(100)),
});

test('the largest key is created, verifies with the published keys, works in both headers and creates another', async () => {
  const keys = createRemoteJWKSet(new URL(`${testedService().baseUrl}/.well-known/jwks.json`));
  await fc.assert(
    fc.asyncProperty(wanted, async (body) => {
      const creator = await newCaller({ orgid: longestOrgid() });
      const { status, body: made } = await call('createApiKey', { key: creator.key, body });
      expect(status).toBe(201);
      expect(Buffer.byteLength(made.token)).toBeLessThan(tokenBytesMax);
      const { payload } = await jwtVerify(made.token, keys, { algorithms: ['ES256'] });
      expect(payload).toMatchObject({ sub: made.keyid, ws: body.workspaces });
      for (const headers of [{ 'x-api-key': made.token }, { authorization: `Bearer ${made.token}` }]) {
        const query = { workspaceid: body.workspaces[0] ?? '' };
        expect((await call('listRegistryRows', { headers, query })).status).toBe(200);
        expect((await call('createApiKey', { headers, body })).status).toBe(201);
      }
      const listed = await call('listApiKeys', { key: creator.key });
      expect(listed.body.items).toHaveLength(3);
      expect((await call('revokeApiKey', { key: creator.key, params: { keyid: made.keyid } })).status).toBe(
        204,
      );
    }),
    { numRuns: 10 },
  );
});

test('a key with one more workspace is refused with a pointer to the member', async () => {
  const { key } = await newCaller();
  const body = { label: 'l', scopes: [...permissions], workspaces: [...workspacesOfLargestKey, 'ws-51'] };
  const { problem } = await call('createApiKey', { key, body });
  expect(problem.errors).toMatchObject([{ pointer: '/body/workspaces' }]);
});
