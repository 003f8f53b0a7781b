import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { agentUrls } from '#test/support/a2a.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { listUrls, verifyWithSdk } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

describe('200', () => {
  test('the card changes its URL with promotion and demotion, and is signed each time', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const url = async () => {
      const params = { registryId: row.a2aregistryid };
      const headers = { 'cache-control': 'no-cache' };
      const { body } = await call('getAgentCard', { key: caller.key, params, headers });
      await verifyWithSdk(body);
      return listUrls(body);
    };
    expect(await url()).toEqual([agentUrls(row).test]);
    await promoted(caller, row);
    expect(await url()).toEqual([agentUrls(row).live]);
    await promoted(caller, await newRow(caller, { flowid: row.flowid }));
    expect(await url()).toEqual([agentUrls(row).test]);
  });

  test('in a workspace that does not own the flowid, the live card names the URL of the registry id', async () => {
    const { flowid } = await liveAgent();
    const other = await newCaller();
    const row = await newRow(other, { flowid });
    await promoted(other, row);
    const { body } = await call('getAgentCard', {
      key: other.key,
      params: { registryId: row.a2aregistryid },
    });
    expect(listUrls(body)).toEqual([agentUrls(row).agent]);
    await verifyWithSdk(body);
  });
});

describe('401', () => {
  test('without a key only the cards of public agents are returned', async () => {
    const read = async (registryId: string) =>
      (await call('getAgentCard', { params: { registryId } })).status;
    expect(await read((await liveAgent({ visibility: 'public' })).a2aregistryid)).toBe(200);
    expect(await read((await liveAgent()).a2aregistryid)).toBe(401);
    expect(await read(newRegistryId())).toBe(401);
  });
});
