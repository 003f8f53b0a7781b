import { expect, test } from 'vitest';
import { putConnection } from '#lib/connection/connection-items.ts';
import { encryptConnection } from '#lib/connection/encrypted-connection.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { secret } from '#lib/secret.ts';
import { newCaller } from '#test/support/caller.ts';
import { listConnections } from '#test/support/connections.ts';

test('a connection whose hosts were valid when it was stored is shown and can still be used', async () => {
  const caller = await newCaller();
  const place = { orgid: caller.orgid, workspaceid: caller.workspaceid, user: caller.id };
  const value = { type: 'http_bearer', hosts: ['a..b'], credential: { token: secret('token') } } as const;
  const declaration = { type: value.type, hosts: ['api.crm.example'] };
  await putConnection(place, {
    name: 'crm',
    type: value.type,
    scope: 'organization',
    hosts: ['a..b'],
    updated_at: new Date().toISOString(),
    updated_by: caller.id,
    version: 'v1',
    sealed: await encryptConnection(place, 'organization', 'crm', { ...value, hosts: ['a..b'] }),
  });
  expect(await listConnections(caller)).toMatchObject([{ name: 'crm', hosts: ['a..b'] }]);
  expect((await createConnectionFinder(place)('crm', declaration))?.value.hosts).toEqual(['a..b']);
});
