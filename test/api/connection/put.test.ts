import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, listConnections, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';

const token_url = 'https://login.example/token';
const hosts = ['api.crm.example'];
const every = {
  http_bearer: { token: 'hunter2-hunter2' },
  http_header: { header: 'X-Key', value: 'hunter2-hunter2' },
  http_query: { parameter: 'key', value: 'hunter2-hunter2' },
  http_basic: { username: 'ada', password: 'hunter2-hunter2' },
  oauth_client_credentials: {
    token_url,
    client_id: 'flows',
    client_secret: 'hunter2-hunter2',
    scopes: ['read'],
  },
  oauth_user: { token_url, client_id: 'flows', refresh_token: 'hunter2-hunter2' },
};

const awsHosts = ['bedrock-agent-runtime.eu-central-1.amazonaws.com'];
const role = {
  role_arn: 'arn:aws:iam::123456789012:role/agent-flow/search',
  services: ['bedrock'],
  regions: ['eu-central-1'],
};

describe('200', () => {
  test.each(Object.entries(every))(
    'a connection of type %s is stored, and not shown',
    async (type, credential) => {
      const caller = await newCaller();
      const { status, body, text } = await putConnection(caller, 'crm', {
        type,
        hosts,
        label: 'CRM',
        credential,
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        name: 'crm',
        type,
        scope: 'organization',
        label: 'CRM',
        hosts,
        updated_at: expect.any(String),
        updated_by: caller.id,
      });
      expect(text).not.toContain('hunter2');
      expect(await listConnections(caller)).toEqual([body]);
    },
  );

  test('a role of AWS has an external id that no other connection has, and that stays', async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const store = async (who: TestCaller, name: string, some: object = {}) =>
      (await putConnection(who, name, { type: 'aws_sigv4', hosts: awsHosts, credential: role, ...some }))
        .body;
    const first = await store(caller, 'search');
    expect(first).toMatchObject({ type: 'aws_sigv4', external_id: expect.stringMatching(/^[\w-]{43}$/) });
    const others = [
      await store(caller, 'search', { scope: 'user' }),
      await store(caller, 'search2'),
      await store({ ...caller, workspaceid: 'ws_other' }, 'search'),
      await store(other, 'search'),
    ];
    const ids = [first, ...others].map(({ external_id }) => external_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await store(caller, 'search', { label: 'Again' })).external_id).toBe(first.external_id);
    expect((await listConnections(caller))[0]).toEqual({
      ...first,
      label: 'Again',
      updated_at: expect.any(String),
    });
  });

  test('replaces the connection of the same name and scope, and no other', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'crm', bearer());
    await putConnection(caller, 'crm', bearer('mine', { scope: 'user' }));
    const { body } = await putConnection(caller, 'crm', {
      type: 'http_header',
      hosts: ['*.crm.example'],
      credential: every.http_header,
    });
    expect(await listConnections(caller)).toEqual([
      body,
      expect.objectContaining({ scope: 'user', type: 'http_bearer' }),
    ]);
  });

  test('leaves an audit record with the name of the connection', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'crm', bearer());
    const { workspaceid } = caller;
    await idle();
    const { items } = (await call('listAudit', { key: caller.key, query: { workspaceid } })).body;
    expect(items[0]).toMatchObject({ operation: 'connection/put', resource: 'crm', status: 200 });
    expect(JSON.stringify(items)).not.toContain('hunter2');
  });
});

describe('400', () => {
  const awsBody = (some: object) => ({
    type: 'aws_sigv4',
    hosts: awsHosts,
    credential: { ...role, ...some },
  });
  const { http_bearer, http_header, http_basic, oauth_user } = every;
  test.each([
    ['no type', { hosts, credential: http_bearer }, '/body/type'],
    ['an unknown type', { type: 'ssh', hosts, credential: http_bearer }, '/body/type'],
    ['no hosts', { type: 'http_bearer', hosts: [], credential: http_bearer }, '/body/hosts'],
    ['every host', { type: 'http_bearer', hosts: ['*'], credential: http_bearer }, '/body/hosts/0'],
    [
      'a URL for a host',
      { type: 'http_bearer', hosts: ['https://a.example'], credential: http_bearer },
      '/body/hosts/0',
    ],
    ['an unknown scope', bearer('t', { scope: 'tenant' }), '/body/scope'],
    ['no credential', { type: 'http_bearer', hosts }, '/body/credential'],
    ['an empty token', bearer(''), '/body/credential/token'],
    ['a token of two lines', bearer('a\r\nX-Evil: 1'), '/body/credential/token'],
    [
      'the credential of another type',
      { type: 'http_basic', hosts, credential: http_bearer },
      '/body/credential/username',
    ],
    [
      'a header of the connection',
      { type: 'http_header', hosts, credential: { ...http_header, header: 'Host' } },
      '/body/credential/header',
    ],
    [
      'a user name with a colon',
      { type: 'http_basic', hosts, credential: { ...http_basic, username: 'a:b' } },
      '/body/credential/username',
    ],
    [
      'a role outside of the path of roles for this service',
      awsBody({ role_arn: 'arn:aws:iam::123456789012:role/admin' }),
      '/body/credential/role_arn',
    ],
    [
      'an ARN of something else',
      awsBody({ role_arn: 'arn:aws:iam::123456789012:user/agent-flow/search' }),
      '/body/credential/role_arn',
    ],
    ['every region', awsBody({ regions: ['*'] }), '/body/credential/regions/0'],
    ['no service', awsBody({ services: [] }), '/body/credential/services'],
    [
      'an external id of the caller',
      awsBody({ external_id: 'that-of-another-organisation' }),
      '/body/credential/external_id',
    ],
    [
      'a token URL with a password',
      { type: 'oauth_user', hosts, credential: { ...oauth_user, token_url: 'https://a:b@c.example' } },
      '/body/credential/token_url',
    ],
  ])('%s is refused, and the answer repeats none of it', async (_what, body, pointer) => {
    const { problem, text } = await putConnection(await newCaller(), 'crm', body);
    expect(problem).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(problem.errors?.map((error) => error.pointer)).toContain(pointer);
    expect(text).not.toContain('hunter2');
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const caller = await newCaller({ workspaces: ['ws_a'] });
    const { problem } = await putConnection({ ...caller, workspaceid: 'ws_b' }, 'crm', bearer());
    expect(problem.code).toBe('permission_denied');
  });
});

test.each(['a..b', 'a.example.', '-a.example', '[:]', 'a.example:0'])(
  'the host %s, which there cannot be, is 400',
  async (host) => {
    const { status, problem } = await putConnection(await newCaller(), 'crm', {
      type: 'http_bearer',
      hosts: [host],
      credential: every.http_bearer,
    });
    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/hosts/0']);
  },
);
