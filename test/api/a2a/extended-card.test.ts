import { ClientFactory, DefaultAgentCardResolver, RestTransportFactory } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import { type AgentCard, agentCard, buildExtension } from '#lib/registry/row/agent-card.ts';
import { agentUrls, officialClient, refusal, rpc } from '#test/support/a2a.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { listUrls, verifyBySpecification, verifyWithSdk, verifyWithSdkClient } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

async function getExtendedCard(url: string, key: string): Promise<AgentCard> {
  const { result, error } = await rpc(url, key, 'GetExtendedAgentCard');
  expect(error).toBeUndefined();
  return agentCard.parse(result);
}

async function getPublicCard(url: string, key: string): Promise<AgentCard> {
  const response = await fetch(`${url}.well-known/agent-card.json`, {
    headers: { 'x-api-key': key, 'cache-control': 'no-cache' },
  });
  return agentCard.parse(await response.json());
}

const readBuild = (card: AgentCard) =>
  card.capabilities.extensions?.find(({ uri }) => uri === buildExtension)?.params;

describe('a caller of the organisation', () => {
  test.each(['live', 'test', 'agent'] as const)('gets the build behind the %s URL', async (which) => {
    const agent = await liveAgent();
    const url = agentUrls(agent)[which];
    const { capabilities, signatures, ...card } = await getExtendedCard(url, agent.key);
    const open = await getPublicCard(url, agent.key);
    expect({ ...card, capabilities: open.capabilities, signatures: open.signatures }).toEqual(open);
    expect(open.capabilities.extensions).toBeUndefined();
    expect(capabilities).toMatchObject({ streaming: true, extendedAgentCard: true });
    expect(readBuild({ ...card, capabilities })).toEqual({
      a2aregistryid: agent.a2aregistryid,
      flowid: agent.flowid,
      build_no: 1,
      orgid: agent.orgid,
      workspaceid: agent.workspaceid,
      build_url: agentUrls(agent).test,
    });
  });

  test('gets a card whose signatures are valid for every verifier, also after an update and a promotion', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const second = await newRow(agent, { flowid: agent.flowid, flow_version: '1.0.0' });
    await call('updateRegistryRow', {
      key: agent.key,
      params: { a2aregistryid: second.a2aregistryid },
      body: { agent_card: { ...second.agent_card, name: 'Second' }, flow_version: '2.0.0' },
    });
    await promoted(agent, second);
    for (const url of [agentUrls(agent).live, agentUrls(agent).test, agentUrls(second).test]) {
      const card = await getExtendedCard(url, agent.key);
      expect(listUrls(card)[0]).toBe(url);
      await verifyBySpecification(card);
      await verifyWithSdk(card);
      await verifyWithSdkClient(card);
      const forged = { ...card, capabilities: { ...card.capabilities, extensions: [] } };
      await expect(verifyBySpecification(forged)).rejects.toThrow();
    }
    const live = await getExtendedCard(agentUrls(agent).live, agent.key);
    expect(readBuild(live)).toMatchObject({ build_no: 2, flow_version: '2.0.0' });
  });

  test('gets it from the client of the SDK, over both bindings, with its signature verified', async () => {
    const agent = await liveAgent();
    const withKey: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-api-key', agent.key);
      return fetch(input, { ...init, headers });
    };
    const rest = new ClientFactory({
      transports: [new RestTransportFactory({ fetchImpl: withKey })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: withKey }),
    });
    const { live } = agentUrls(agent);
    for (const client of [await officialClient(live, agent.key), await rest.createFromUrl(live)]) {
      const card = await client.getAgentCard(undefined, verifyWithSdk);
      expect(card.capabilities?.extensions.map(({ uri }) => uri)).toEqual([buildExtension]);
    }
  });
});

describe('a caller of another organisation', () => {
  test('gets the public card of a public agent, and nothing of the build', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const guest = await newCaller();
    for (const url of [agentUrls(agent).live, agentUrls(agent).test, agentUrls(agent).agent]) {
      const card = await getExtendedCard(url, guest.key);
      expect(card).toEqual(await getPublicCard(url, guest.key));
      for (const secret of [agent.workspaceid, agent.orgid, buildExtension])
        expect(JSON.stringify(card)).not.toContain(secret);
      await verifyBySpecification(card);
    }
  });
});

describe('a row from before', () => {
  test('whose card declares no extended card is refused', async () => {
    const caller = await newCaller();
    const row = storedRow({ orgid: caller.orgid, workspaceid: caller.workspaceid });
    const card = row.card.replace('"extendedAgentCard":true', '"extendedAgentCard":false');
    await rowWriter().put({ ...row, card });
    const error = await refusal(agentUrls(row).agent, caller.key, 'GetExtendedAgentCard');
    expect(error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  });

  test('without signatures for its extended card has it signed', async () => {
    const caller = await newCaller();
    const row = storedRow({ orgid: caller.orgid, workspaceid: caller.workspaceid });
    await rowWriter().put(row);
    await verifyBySpecification(await getExtendedCard(agentUrls(row).agent, caller.key));
  });
});
