import { describe, expect, test } from 'vitest';
import { agentUrls } from '#test/support/a2a.ts';
import { newRow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { listUrls, verifyBySpecification, verifyWithSdk } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

describe('200', () => {
  test('the card of a test build names its test URL, and is signed for it', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const params = { flowId: row.flowid, registryId: row.a2aregistryid };
    const { body } = await call('getTestCard', { key: caller.key, params });
    expect(listUrls(body)).toEqual([agentUrls(row).test]);
    const { signatures, ...card } = body;
    expect(card).toEqual(row.agent_card);
    expect(signatures).toHaveLength(2);
    await verifyWithSdk(body);
    await verifyBySpecification(body);
  });

  test('build-1 is the first build of the flow', async () => {
    const caller = await newCaller();
    const first = await newRow(caller);
    await newRow(caller, { flowid: first.flowid });
    const read = async (registryId: string) =>
      (await call('getTestCard', { key: caller.key, params: { flowId: first.flowid, registryId } })).text;
    expect(await read('build-1')).toBe(await read(first.a2aregistryid));
    expect(await read('build-2')).not.toBe(await read('build-1'));
  });

  test('a live build still has a valid card at its test URL', async () => {
    const agent = await liveAgent();
    const params = { flowId: agent.flowid, registryId: agent.a2aregistryid };
    const { body } = await call('getTestCard', { key: agent.key, params });
    expect(listUrls(body)).toEqual([agentUrls(agent).test]);
    await verifyWithSdk(body);
  });
});

describe('400', () => {
  test.each(['build-x', 'build-1.5', 'reg_1', 'latest'])('%s is not a build', async (registryId) => {
    const { problem } = await call('getTestCard', { params: { flowId: unique('flow'), registryId } });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/path/registryId']);
  });
});

describe('401', () => {
  test('a missing build and a build of another flow', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const other = await liveAgent({}, agent);
    for (const registryId of [other.a2aregistryid, 'build-99']) {
      const params = { flowId: agent.flowid, registryId };
      expect((await call('getTestCard', { key: agent.key, params })).problem.code).toBe('unauthenticated');
    }
  });
});
