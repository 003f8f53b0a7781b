import { describe, expect, test } from 'vitest';
import { type AgentCard, agentCard } from '#lib/registry/row/agent-card.ts';
import { agentUrls, officialClient, sending } from '#test/support/a2a.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { listUrls, verifyBySpecification, verifyWithSdk, verifyWithSdkClient } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

describe('200', () => {
  test('the card is exact ProtoJSON', async () => {
    const agent = await liveAgent({ agent_card: card({ tags: ['greeting'], version: '2.1.0' }) });
    const { text } = await call('getLiveCard', { key: agent.key, params: { flowId: agent.flowid } });
    const { signatures, ...rest } = JSON.parse(text);
    expect(rest).toEqual({
      name: 'Echo',
      description: 'Says what it hears.',
      supportedInterfaces: [
        { url: agentUrls(agent).live, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${agentUrls(agent).live}rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: `${agentUrls(agent).live}v0.3`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      version: '2.1.0',
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: {
        apiKey: {
          apiKeySecurityScheme: {
            location: 'header',
            name: 'X-API-Key',
            description: 'An API key of this service (a JWT).',
          },
        },
      },
      securityRequirements: [{ schemes: { apiKey: { list: ['agents:call'] } } }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['application/json'],
      skills: [
        {
          id: 'echo',
          name: 'Echo',
          description: 'Repeats the message.',
          tags: ['greeting'],
          inputModes: ['text/plain'],
          outputModes: ['application/json'],
        },
      ],
    });
    const signature = {
      protected: expect.stringMatching(/^[\w-]+$/),
      signature: expect.stringMatching(/^[\w-]{86}$/),
    };
    expect(signatures).toEqual([signature, signature]);
  });

  test('the official client reads the security scheme of the card', async () => {
    const agent = await liveAgent();
    const client = await officialClient(agentUrls(agent).live, agent.key);
    const { securitySchemes } = await client.getAgentCard();
    expect(securitySchemes.apiKey?.scheme).toMatchObject({
      $case: 'apiKeySecurityScheme',
      value: { location: 'header', name: 'X-API-Key' },
    });
  });

  describe('the signatures', () => {
    const readCard = async () => {
      const agent = await liveAgent({ agent_card: card({ skills: [skillWithDefaults] }) });
      return (await call('getLiveCard', { key: agent.key, params: { flowId: agent.flowid } })).body;
    };
    const skillWithDefaults = { id: 'echo', name: 'Écho 😀', description: 'Repeats.', examples: [] };
    const forged: readonly [string, (body: AgentCard) => object][] = [
      ['another name', (body) => ({ ...body, name: 'Other' })],
      [
        'another URL',
        (body) => ({
          ...body,
          supportedInterfaces: body.supportedInterfaces.map((each) => ({
            ...each,
            url: 'https://evil.example',
          })),
        }),
      ],
      ['no security requirements', ({ securityRequirements: _, ...body }) => body],
      ['an empty list of security requirements', (body) => ({ ...body, securityRequirements: [] })],
      [
        'a requirement without its list',
        (body) => ({ ...body, securityRequirements: [{ schemes: { apiKey: { list: [] } } }] }),
      ],
      [
        'a requirement of another scheme',
        (body) => ({ ...body, securityRequirements: [{ schemes: { other: { list: ['agents:call'] } } }] }),
      ],
      ['no capabilities', (body) => ({ ...body, capabilities: {} })],
      ['an unknown signature alone', (body) => ({ ...body, signatures: [] })],
    ];

    test('are valid by the specification, and for the SDK as the card is served and as its client parses it', async () => {
      const body = await readCard();
      await verifyBySpecification(body);
      await verifyWithSdk(body);
      await verifyWithSdkClient(body);
    });

    test('are valid for the client of the SDK, which calls the verifier itself', async () => {
      const agent = await liveAgent();
      const client = await officialClient(agentUrls(agent).live, agent.key);
      expect((await client.getAgentCard(undefined, verifyWithSdk)).name).toBe('Echo');
    });

    test.each(forged)('are invalid for a card with %s', async (_, forge) => {
      const body = forge(agentCard.parse(await readCard()));
      await expect(verifyBySpecification(body)).rejects.toThrow();
      await expect(verifyWithSdk(body)).rejects.toThrow();
      await expect(verifyWithSdkClient(body)).rejects.toThrow();
    });

    test('the first is invalid for a card with other or no security schemes', async () => {
      const { securitySchemes, ...body } = await readCard();
      const signatures = body.signatures?.slice(0, 1);
      const other = { apiKey: { httpAuthSecurityScheme: { scheme: 'basic' } } };
      await verifyBySpecification({ ...body, securitySchemes, signatures });
      await expect(verifyBySpecification({ ...body, signatures })).rejects.toThrow();
      await expect(verifyBySpecification({ ...body, securitySchemes: other, signatures })).rejects.toThrow();
    });

    test('are invalid by the specification for a card with an additional alternative without a scheme', async () => {
      const body = await readCard();
      const securityRequirements = [...body.securityRequirements, {}];
      await expect(verifyBySpecification({ ...body, securityRequirements })).rejects.toThrow();
    });

    test('all are invalid by the specification for a card with other security schemes', async () => {
      const other = { apiKey: { apiKeySecurityScheme: { location: 'query', name: 'key' } } };
      await expect(
        verifyBySpecification({ ...(await readCard()), securitySchemes: other }),
      ).rejects.toThrow();
    });
  });

  test('the response has a maximum age for caches, and its ETag changes with the row', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const headers = { 'cache-control': 'no-cache' };
    const read = async () =>
      (await call('getLiveCard', { params: { flowId: agent.flowid }, headers })).headers;
    const before = await read();
    expect(before.get('cache-control')).toBe('public, max-age=60');
    expect(Date.parse(before.get('last-modified') ?? '')).toBeGreaterThan(0);
    expect((await read()).get('etag')).toBe(before.get('etag'));
    await call('updateRegistryRow', {
      key: agent.key,
      params: { a2aregistryid: agent.a2aregistryid },
      body: { agent_card: card({ name: 'Renamed' }), visibility: 'public' },
    });
    expect((await read()).get('etag')).not.toBe(before.get('etag'));
  });

  test('a client that has the card gets 304, by its ETag or else by its date', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const url = `${agentUrls(agent).live}.well-known/agent-card.json`;
    const read = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(url, { method, headers });
      return [response.status, (await response.text()).length > 0];
    };
    const { headers } = await fetch(url);
    const [etag = '', date = ''] = ['etag', 'last-modified'].map((name) => headers.get(name) ?? '');
    const earlier = new Date(Date.parse(date) - 1_000).toUTCString();
    const later = new Date(Date.parse(date) + 1_000).toUTCString();
    for (const known of [
      { 'if-none-match': etag },
      { 'if-none-match': '*' },
      { 'if-modified-since': date },
      { 'if-modified-since': later },
      { 'if-none-match': etag, 'if-modified-since': earlier },
    ])
      for (const method of ['GET', 'HEAD']) expect(await read(known, method)).toEqual([304, false]);
    for (const other of [
      { 'if-none-match': '"other"' },
      { 'if-modified-since': earlier },
      { 'if-modified-since': 'yesterday' },
      { 'if-modified-since': new Date(later).toISOString() },
      { 'if-none-match': '"other"', 'if-modified-since': later },
    ])
      expect(await read(other)).toEqual([200, true]);
    expect(await read({}, 'HEAD')).toEqual([200, false]);
  });

  test('the card of a public agent is returned to every caller, that of an organization agent to the keys of the organisation', async () => {
    const open = await liveAgent({ visibility: 'public' });
    expect((await call('getLiveCard', { params: { flowId: open.flowid } })).status).toBe(200);
    const closed = await liveAgent();
    expect((await call('getLiveCard', { params: { flowId: closed.flowid } })).status).toBe(401);
    const answer = await call('getLiveCard', { params: { flowId: closed.flowid }, key: closed.key });
    expect(answer.headers.get('cache-control')).toBe('private, max-age=60');
  });

  test('after a promotion the live URL returns the card of the promoted build', async () => {
    const agent = await liveAgent();
    const params = { flowId: agent.flowid };
    await promoted(
      agent,
      await newRow(agent, { flowid: agent.flowid, agent_card: card({ name: 'Second' }) }),
    );
    const { body } = await call('getLiveCard', { key: agent.key, params });
    expect(body.name).toBe('Second');
    expect(listUrls(body)).toEqual([agentUrls(agent).live]);
    await verifyWithSdk(body);
    const client = await officialClient(agentUrls(agent).live, agent.key);
    expect(await client.sendMessage(sending('x'))).toMatchObject({ artifacts: [{}] });
  });
});

describe('401', () => {
  test('an invalid key is refused although no key is required', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const params = { flowId: agent.flowid };
    expect((await call('getLiveCard', { params, key: 'bad' })).problem.code).toBe('unauthenticated');
  });

  test('a missing card and one that the caller may not see give the same response', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller();
    const read = async (flowId: string, from: { key?: string }) => {
      const { status, problem } = await call('getLiveCard', { params: { flowId }, ...from });
      return { status, problem: { ...problem, instance: '' } };
    };
    const missing = await read(unique('flow'), {});
    expect(missing.status).toBe(401);
    expect(await read(agent.flowid, {})).toEqual(missing);
    expect(await read(agent.flowid, { key })).toEqual(missing);
    expect(await read(unique('flow'), { key })).toEqual(missing);
  });
});
