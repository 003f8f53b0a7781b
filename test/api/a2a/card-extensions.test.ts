// The extensions that a client declares for its agent, in every card of the agent.
import { describe, expect, test } from 'vitest';
import { agentCard, buildExtension } from '#lib/registry/row/agent-card.ts';
import { agentUrls, rpc } from '#test/support/a2a.ts';
import { card, createBody, newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { verifyBySpecification, verifyWithSdk, verifyWithSdkClient } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

const extensions = [
  {
    uri: 'https://ext.example/geolocation/v1',
    description: 'Finds shops near the caller.',
    params: { units: ['km', 'mi'], radius: 1.5, none: null, empty: {}, text: '' },
  },
  { uri: 'urn:example:signing:v1', required: true },
];
const declared = (some: object = {}) => card({ ...some, capabilities: { extensions } });

async function readJson(url: string, key: string) {
  return await (await fetch(url, { headers: { 'x-api-key': key } })).json();
}

describe('declared extensions', () => {
  test('are in the row, the card and the extended card, whose signatures cover them', async () => {
    const agent = await liveAgent({ agent_card: declared() });
    const { a2aregistryid, key } = agent;
    const { body: row } = await call('getRegistryRow', { key, params: { a2aregistryid } });
    expect(row.agent_card.capabilities.extensions).toEqual(extensions);
    for (const url of [agentUrls(agent).live, agentUrls(agent).test]) {
      const open = agentCard.parse(await readJson(`${url}.well-known/agent-card.json`, key));
      expect(open.capabilities.extensions).toEqual(extensions);
      const extended = agentCard.parse((await rpc(url, key, 'GetExtendedAgentCard')).result);
      expect(extended.capabilities.extensions).toMatchObject([...extensions, { uri: buildExtension }]);
      for (const signed of [open, extended]) {
        await verifyBySpecification(signed);
        await verifyWithSdk(signed);
        await verifyWithSdkClient(signed);
        for (const forged of [[extensions[0]], extensions.map((each) => ({ ...each, uri: 'urn:other' }))])
          await expect(
            verifyBySpecification({
              ...signed,
              capabilities: { ...signed.capabilities, extensions: forged },
            }),
          ).rejects.toThrow();
      }
    }
  });

  test('are in the card of 0.3', async () => {
    const agent = await liveAgent({ agent_card: declared() });
    const card03 = await readJson(`${agentUrls(agent).live}v0.3/.well-known/agent-card.json`, agent.key);
    expect(card03).toMatchObject({ protocolVersion: '0.3.0', capabilities: { extensions } });
  });

  test('stay as they are when the extended card is sent back', async () => {
    const agent = await liveAgent({ agent_card: declared() });
    const { a2aregistryid, key } = agent;
    const { result } = await rpc(agentUrls(agent).live, key, 'GetExtendedAgentCard');
    const { body } = await call('updateRegistryRow', {
      key,
      params: { a2aregistryid },
      body: { agent_card: result },
    });
    expect(body.agent_card.capabilities.extensions).toEqual(extensions);
    const removed = await call('updateRegistryRow', {
      key,
      params: { a2aregistryid },
      body: { agent_card: card() },
    });
    expect(removed.body.agent_card.capabilities.extensions).toBeUndefined();
  });

  test('are found by their words', async () => {
    const agent = await liveAgent({ agent_card: declared() });
    const search = await call('searchRegistry', { key: agent.key, query: { q: 'geolocation' } });
    expect(search.body.items.map(({ flowid }) => flowid)).toEqual([agent.flowid]);
    const list = await call('listRegistryRows', {
      key: agent.key,
      query: { workspaceid: agent.workspaceid, q: 'shops near' },
    });
    expect(list.text).toContain(agent.a2aregistryid);
  });

  test('that a build adds, removes or requires are in its diff', async () => {
    const caller = await newCaller();
    const first = await newRow(caller, { agent_card: declared() });
    const agent_card = card({
      capabilities: {
        extensions: [
          { uri: 'https://ext.example/geolocation/v1', required: true },
          { uri: 'https://ext.example/new/v1' },
        ],
      },
    });
    const second = await newRow(caller, { flowid: first.flowid, agent_card });
    const { body } = await call('diffRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: second.a2aregistryid },
      query: { against: first.a2aregistryid },
    });
    expect([body.breaking, body.extensions]).toEqual([
      true,
      [
        {
          name: 'https://ext.example/geolocation/v1',
          change: 'changed',
          breaking: true,
          members: ['description', 'params', 'required'],
        },
        { name: 'https://ext.example/new/v1', change: 'added', breaking: false },
        { name: 'urn:example:signing:v1', change: 'removed', breaking: true },
      ],
    ]);
  });
});

test('400 names the field of a declaration that is not valid', async () => {
  const { key, workspaceid } = await newCaller();
  const wrong = [{ uri: 'geolocation' }, { uri: 'urn:a', require: true }, { uri: 'urn:a' }];
  const { status, problem } = await call('createRegistryRow', {
    key,
    query: { workspaceid },
    body: createBody({ agent_card: { ...card(), capabilities: { extensions: wrong } } }),
  });
  expect(status).toBe(400);
  const path = '/body/agent_card/capabilities/extensions';
  expect(problem.errors).toEqual([
    {
      pointer: `${path}/0/uri`,
      detail:
        'must be an absolute URI without commas, such as "https://example.com/extensions/geolocation/v1"',
    },
    {
      pointer: `${path}/1/require`,
      detail: 'unknown field: expected one of uri, description, required, params',
    },
    { pointer: `${path}/2/uri`, detail: 'must differ from those of the other extensions' },
  ]);
});
