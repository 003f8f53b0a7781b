// Connections for tests, as a caller of the API writes them.
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';

export const bearer = (token = 'hunter2-hunter2', some: object = {}) => ({
  type: 'http_bearer',
  hosts: ['api.crm.example'],
  credential: { token },
  ...some,
});

export const putConnection = async (caller: TestCaller, name: string, body: object) =>
  await call('putConnection', {
    key: caller.key,
    params: { name },
    query: { workspaceid: caller.workspaceid },
    body,
  });

export const listConnections = async (caller: TestCaller) =>
  (await call('listConnections', { key: caller.key, query: { workspaceid: caller.workspaceid } })).body.items;
