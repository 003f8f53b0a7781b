// What a process remembers of cards: for how long, and for whom. The functions run in this process, with a clock that only
// the tests move.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { rememberedMs } from '#lib/a2a/card-handler.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { type CardFunctions, startCardFunctions } from '#test/support/card-signer.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

let cards: CardFunctions;
beforeAll(async () => {
  cards = await startCardFunctions();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
afterAll(async () => await cards.close());

type GetOptions = Parameters<CardFunctions['get']>[2];
const get = async ({ flowid }: Pick<TestAgent, 'flowid'>, options?: GetOptions) =>
  await cards.get('getLiveCard', { flowId: flowid }, options);

/** The status, and the calls to DynamoDB. */
async function count(agent: Pick<TestAgent, 'flowid'>, options?: GetOptions): Promise<[number, number]> {
  cards.dynamodb.calls.length = 0;
  const { statusCode } = await get(agent, options);
  return [statusCode, cards.dynamodb.calls.length];
}

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);
const update = async ({ key, a2aregistryid }: TestAgent, body: object) =>
  await call('updateRegistryRow', { key, params: { a2aregistryid }, body });

describe('the card of a public agent', () => {
  test('is read once in five seconds, with and without If-None-Match', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const { etag = '' } = (await get(agent)).headers;
    const known = { headers: { 'If-None-Match': etag } };
    expect(await count(agent)).toEqual([200, 0]);
    expect(await count(agent, known)).toEqual([304, 0]);
    pass(rememberedMs - 1);
    expect(await count(agent, known)).toEqual([304, 0]);
    pass(2);
    expect(await count(agent, known)).toEqual([304, 1]);
    expect(await count(agent)).toEqual([200, 0]);
  });

  test('is read at once for a caller that asks for what is current', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    await get(agent);
    for (const directive of ['no-cache', 'no-store', 'max-age=0', 'public, No-Cache'])
      expect(await count(agent, { headers: { 'Cache-Control': directive } })).toEqual([200, 1]);
    for (const directive of ['max-age=05', 'max-age=60', 'x-no-cache'])
      expect(await count(agent, { headers: { 'Cache-Control': directive } })).toEqual([200, 0]);
  });

  test('is that of the promoted build, and of the update, after five seconds at most', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const second = await newRow(agent, {
      flowid: agent.flowid,
      visibility: 'public',
      agent_card: card({ name: 'Second' }),
    });
    const readName = async () => JSON.parse((await get(agent)).body).name;
    expect(await readName()).toBe('Echo');
    await promoted(agent, second);
    pass(rememberedMs + 1);
    expect(await readName()).toBe('Second');
    await update(
      { ...agent, a2aregistryid: second.a2aregistryid },
      {
        agent_card: card({ name: 'Third' }),
        visibility: 'public',
      },
    );
    pass(rememberedMs + 1);
    expect(await readName()).toBe('Third');
  });

  test('is closed five seconds at most after the agent is', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    expect((await get(agent)).statusCode).toBe(200);
    await update(agent, { agent_card: card(), visibility: 'organization' });
    pass(rememberedMs + 1);
    expect((await get(agent)).statusCode).toBe(401);
  });
});

describe('the card of an agent that is not public', () => {
  test('is served from memory to keys of its organisation alone', async () => {
    const agent = await liveAgent();
    const stranger = await newCaller();
    for (const key of [agent.key, stranger.key]) await get(agent, { key });
    expect(await count(agent, { key: agent.key })).toEqual([200, 0]);
    expect(await count(agent, { key: stranger.key })).toEqual([401, 0]);
    const etag = (await get(agent, { key: agent.key })).headers.etag ?? '';
    const headers = { 'If-None-Match': etag };
    expect(await count(agent, { headers })).toEqual([401, 0]);
    expect(await count(agent, { headers: { 'If-None-Match': '*' } })).toEqual([401, 0]);
    expect((await count(agent, { key: 'bad', headers }))[0]).toBe(401);
  });

  test('is not remembered where it was refused', async () => {
    const agent = await liveAgent();
    expect((await get(agent)).statusCode).toBe(401);
    await update(agent, { agent_card: card(), visibility: 'public' });
    expect((await get(agent)).statusCode).toBe(200);
  });
});

test('a card that does not exist is not remembered', async () => {
  const caller = await newCaller();
  const row = await newRow(caller, { visibility: 'public' });
  expect((await get(row)).statusCode).toBe(401);
  await promoted(caller, row);
  expect((await get(row)).statusCode).toBe(200);
});

test('what is remembered is of one URL and one form', async () => {
  const agent = await liveAgent({ visibility: 'public' });
  const { a2aregistryid: registryId, flowid: flowId } = agent;
  const at = async (operation: 'getAgentCard' | 'getTestCard', v03 = false) =>
    JSON.parse(
      (await cards.get(operation, { registryId, ...(operation === 'getTestCard' && { flowId }) }, { v03 }))
        .body,
    );
  const bodies = [await at('getAgentCard'), await at('getTestCard'), await at('getAgentCard', true)];
  expect(bodies.map(({ signatures }) => signatures?.length)).toEqual([2, 2, undefined]);
  expect(bodies[0]).not.toEqual(bodies[1]);
});
