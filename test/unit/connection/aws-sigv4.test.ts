// Connections to AWS: requests of flows signed under a role that STS has let the service assume.
import { describe, expect, test } from 'vitest';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { type Aws, aws, awsConnection } from './aws.ts';
import { connectWith } from './connections.ts';
import { sendThroughFlow } from './http-flow.ts';

const trusted = ['external id of search'];
const scope = { services: ['execute-api'], regions: ['eu-central-1'] };

const connectTo = ({ fetch, api }: Aws, some: Partial<Parameters<typeof connectWith>[0]> = {}) =>
  connectWith({ fetch, values: { search: awsConnection([api.host]) }, ...some });

const declared = (hosts: string[], some: Partial<typeof scope> = {}) => ({
  search: { type: 'aws_sigv4' as const, hosts, aws: { ...scope, ...some } },
});

describe('a request of a flow', () => {
  test('is signed after its templates are applied, and no part of the session comes back', async () => {
    await using world = await aws({ trusted });
    const node = {
      url: `${world.api.url}/docs/{{ input.user_variables.id }}`,
      method: 'POST',
      query: { q: '{{ input.user_variables.q }}' },
      headers: { 'x-amz-meta-flow': '{{ input.user_variables.id }}' },
      body: { question: '{{ input.user_variables.q }}' },
      connection: 'search',
    };
    const output = await sendThroughFlow({ ...world.api, fetch: world.fetch }, node, {
      variables: { id: 'a:b/c', q: 'one + two*' },
      flow: { egress: [world.api.host], connections: declared([world.api.host]) },
      values: { search: awsConnection([world.api.host]) },
    });
    expect(output).toMatchObject({ status: 200, body: { echo: '[secret]' } });
    expect(world.accepted).toEqual([
      {
        scope: 'execute-api/eu-central-1',
        externalId: 'external id of search',
        target: '/docs/a%3Ab%2Fc?q=one%20%2B%20two%2A',
        body: '{"question":"one + two*"}',
      },
    ]);
  });

  test('is signed again for each redirect within its origin', async () => {
    await using world = await aws({
      trusted,
      service: ({ url }, response) => {
        if (url !== '/old') return false;
        response.writeHead(307, { location: '/new?a=1' }).end();
        return true;
      },
    });
    const { fetch } = await connectTo(world)('search');
    const response = await fetch(`${world.api.url}/old`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(200);
    expect(world.accepted.map(({ target, body }) => [target, body])).toEqual([
      ['/old', 'x'],
      ['/new?a=1', 'x'],
    ]);
  });

  test('names organisation and workspace in the session, for the trail of the account of the role', async () => {
    await using world = await aws({ trusted });
    await (await connectTo(world)('search')).fetch(world.api.url);
    expect(world.assumed).toEqual([
      {
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: 'arn:aws:iam::123456789012:role/agent-flow/search',
        RoleSessionName: 'agent-flow@org_unit@ws_unit',
        ExternalId: 'external id of search',
        DurationSeconds: '900',
        'Tags.member.1.Key': 'agent-flow:orgid',
        'Tags.member.1.Value': 'org_unit',
        'Tags.member.2.Key': 'agent-flow:workspaceid',
        'Tags.member.2.Value': 'ws_unit',
        'Tags.member.3.Key': 'agent-flow:connection',
        'Tags.member.3.Value': 'search',
      },
    ]);
  });
});

describe('a session', () => {
  test('is shared by concurrent requests, kept for later ones, and replaced shortly before it expires', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    await using world = await aws({ trusted, now: () => now });
    const memory = newTokenMemory({ now: () => now });
    const get = async () => {
      const { fetch } = await connectTo(world, { memory })('search');
      return (await fetch(world.api.url)).status;
    };
    expect(await Promise.all([get(), get(), get()])).toEqual([200, 200, 200]);
    now += 11 * 60_000;
    expect(await get()).toBe(200);
    expect(world.assumed).toHaveLength(1);
    now += 2 * 60_000;
    expect(await get()).toBe(200);
    expect(world.assumed).toHaveLength(2);
    expect(new Set(world.accepted.map(({ externalId }) => externalId)).size).toBe(1);
  });
});

describe('connection.refused', () => {
  test('a role that trusts another connection, whichever external id its ARN comes with', async () => {
    await using world = await aws({ trusted: ['external id of the connection of another organisation'] });
    const sent = connectTo(world)('search').then(({ fetch }) => fetch(world.api.url));
    await expect(sent).rejects.toMatchObject({
      code: 'connection.refused',
      message: expect.stringMatching(
        /^The role of the connection "search" cannot be assumed: AccessDenied\./,
      ),
    });
    await expect(sent).rejects.not.toThrow(/assumed-role\/fn/);
    expect(world.api.requests).toEqual([]);
  });
});

describe('connection.unavailable', () => {
  test.each([
    ['an error of STS', 500, '<Code>InternalFailure</Code>'],
    ['throttling', 400, '<Code>Throttling</Code>'],
  ])('%s, and the next request tries again', async (_what, status, text) => {
    let isDown = true;
    await using world = await aws({
      trusted,
      sts: (response) => {
        if (isDown) response.writeHead(status).end(text);
        return isDown;
      },
    });
    const { fetch } = await connectTo(world)('search');
    await expect(fetch(world.api.url)).rejects.toMatchObject({ code: 'connection.unavailable' });
    isDown = false;
    expect((await fetch(world.api.url)).status).toBe(200);
  });
});

describe('connection.host', () => {
  test.each([
    ['the flow names another region', { regions: ['us-east-1'] }, {}],
    ['the owner of the role names another service', {}, { services: ['s3'] }],
    ['a host of no service, for several services', { services: ['execute-api', 's3'] }, {}],
  ])('%s', async (_what, inFlow, inValue) => {
    await using world = await aws({ trusted });
    const values = { search: awsConnection([world.api.host], inValue) };
    const connect = connectTo(world, { values, declared: declared([world.api.host], inFlow) });
    const { fetch } = await connect('search');
    await expect(fetch(world.api.url)).rejects.toMatchObject({ code: 'connection.host' });
    expect(world.sts.requests).toEqual([]);
  });

  test('a host that the connection does not list is not even asked for', async () => {
    await using world = await aws({ trusted });
    const { fetch } = await connectTo(world, { declared: declared(['*.amazonaws.com']) })('search');
    await expect(fetch(world.api.url)).rejects.toMatchObject({ code: 'connection.host' });
    expect([...world.sts.requests, ...world.api.requests]).toEqual([]);
  });
});
