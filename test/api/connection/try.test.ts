import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { type ReceivedRequest, type Receiver, startRequestReceiver } from '#test/support/receiver.ts';

const token = 'hunter2-hunter2';
let receiver: Receiver<ReceivedRequest>;
let host: string;

beforeAll(async () => {
  receiver = await startRequestReceiver();
  host = new URL(receiver.url).host;
});
afterAll(async () => await receiver.close());

const attempt = ({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, body: object = {}) =>
  call('tryConnection', { key, params: { name: 'crm' }, query: { workspaceid }, body });

async function callerWith(some: object = {}) {
  const caller = await newCaller();
  await putConnection(caller, 'crm', bearer(token, { hosts: [host], ...some }));
  return caller;
}

describe('200', () => {
  test.each(['GET', 'HEAD'])(
    'a %s with the credential is sent once, and only its status is returned',
    async (method) => {
      const caller = await callerWith();
      receiver.received.length = 0;
      receiver.answers.push(403);
      const { body, headers } = await attempt(caller, { url: `http://${host}/me?x=1`, method });
      expect(body).toEqual({ host, status: 403, duration_ms: expect.any(Number) });
      expect(receiver.received.map((request) => request.headers.authorization)).toEqual([`Bearer ${token}`]);
      expect(JSON.stringify([body, [...headers]])).not.toContain(token);
    },
  );

  test('a host that cannot be asked is an error in words, without the credential', async () => {
    const caller = await callerWith();
    const { status, body } = await attempt(caller, { url: `https://${host}/` });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      host,
      error: { code: 'http.network', message: expect.stringContaining(host) },
    });
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test('private addresses are refused as in runs', async () => {
    const caller = await callerWith({ hosts: ['169.254.169.254'] });
    expect((await attempt(caller)).body.error?.code).toBe('egress.private_address');
  });
});

describe('400', () => {
  test.each([
    ['a host that the connection is not for', {}, { url: 'https://other.example/' }],
    ['no URL where each host has a wildcard', { hosts: ['*.crm.example'] }, {}],
    ['another scheme', {}, { url: 'ftp://api.crm.example/' }],
  ])('%s', async (_name, some, body) => {
    const { status, problem } = await attempt(await callerWith(some), body);
    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/url']);
  });
});

describe('403', () => {
  test('a key without the permission to store connections', async () => {
    const caller = await callerWith();
    const reader = await newCaller({ orgid: caller.orgid, scopes: ['assistants.flows:read'] });
    expect((await attempt({ ...caller, key: reader.key })).problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a connection of another caller, one of another organisation, and a missing one look alike', async () => {
    const caller = await callerWith({ scope: 'user' });
    receiver.received.length = 0;
    const colleague = await newCaller({ orgid: caller.orgid });
    const stranger = await newCaller({ workspaces: [caller.workspaceid] });
    const body = { url: receiver.url, scope: 'user' };
    for (const { key } of [colleague, stranger]) {
      const { problem } = await attempt({ ...caller, key }, body);
      expect(problem.code).toBe('connection_not_found');
      expect(problem.detail).toBe('The workspace has no connection crm of scope user.');
    }
    expect((await attempt(caller)).problem.code).toBe('connection_not_found');
    expect(receiver.received).toEqual([]);
    expect((await attempt(caller, body)).body.status).toBe(204);
  });
});
