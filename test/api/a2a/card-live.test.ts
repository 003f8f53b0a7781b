import { describe, expect, test } from 'vitest';
import { agentUrls, officialClient, sending } from '#test/support/a2a.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { listUrls, verifyWithJose, verifyWithSdk } from '#test/support/cards.ts';
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
      ],
      version: '2.1.0',
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      securitySchemes: {
        apiKey: {
          apiKeySecurityScheme: {
            location: 'header',
            name: 'X-API-Key',
            description: 'An API key of this service (a JWT).',
          },
        },
      },
      securityRequirements: [{ schemes: { apiKey: { list: [] } } }],
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
    expect(signatures).toEqual([
      { protected: expect.stringMatching(/^[\w-]+$/), signature: expect.stringMatching(/^[\w-]{86}$/) },
    ]);
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

  test('the signature is valid for the SDK and for plain JOSE, and invalid after any change', async () => {
    const agent = await liveAgent();
    const { body } = await call('getLiveCard', { key: agent.key, params: { flowId: agent.flowid } });
    await verifyWithSdk(body);
    await verifyWithJose(body);
    const forged = {
      ...body,
      supportedInterfaces: body.supportedInterfaces.map((each) => ({ ...each, url: 'https://evil.example' })),
    };
    await expect(verifyWithSdk(forged)).rejects.toThrow();
    await expect(verifyWithJose(forged)).rejects.toThrow();
    await expect(verifyWithJose({ ...body, name: 'Other' })).rejects.toThrow();
  });

  test('the response has a maximum age for caches, and its ETag changes with the row', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const read = async () => (await call('getLiveCard', { params: { flowId: agent.flowid } })).headers;
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
