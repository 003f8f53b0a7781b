// Walks the table of AWS limits: for each there is a case that meets it over HTTP. What is at the limit
// works, and one more is a 4xx that names the field, or is done in several steps. The engines of the tests
// enforce most of the limits themselves (docs/local.md).
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AwsLimit, awsLimits } from '#lib/aws-limits.ts';
import { decrypt, encrypt } from '#lib/envelope.ts';
import { bytesMax } from '#lib/registry/row/stored-row.ts';
import { limitRows, limitsPage } from '#test/support/aws-limits.ts';
import { card, createBody, flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { fetchCurrentCard, verifyBySpecification } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { largestBuild } from '#test/support/largest.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

const growth = { letter: '漢', namesModes: true, order: ['tags', 'inputModes', 'examples'] } as const;
let caller: TestCaller;
beforeAll(async () => {
  caller = await newCaller();
});

/** Ids as long as ids can be. */
const longestCaller = async () => {
  const longest = await newCaller({ orgid: unique('org').padEnd(64, 'o') });
  return { ...longest, workspaceid: unique('ws').padEnd(64, 'w') };
};
const longestFlowid = () => unique('flow').padEnd(64, 'f');

const create = async (body: object, headers = {}, { key, workspaceid } = caller) =>
  await call('createRegistryRow', { key, query: { workspaceid }, body: createBody(body), headers });
const readPointers = (answer: Awaited<ReturnType<typeof create>>) =>
  answer.problem.errors?.map(({ pointer }) => pointer);
const pathTo = ({ workspaceid, flowid }: { workspaceid: string; flowid: string }) => ({
  workspace_id: workspaceid,
  trigger_id: flowid,
  environment: 'live',
});

async function largestBuildLives(): Promise<void> {
  const { status, body } = await create(largestBuild(growth), { 'idempotency-key': unique('once') });
  expect(status).toBe(201);
  const params = { a2aregistryid: body.a2aregistryid };
  expect((await call('promoteRegistryRow', { key: caller.key, params })).status).toBe(200);
}

async function inputComesBack(user_variables: object): Promise<void> {
  const agent = await liveAgent({
    flow: flow({ nodes: { done: { type: 'end', output: { got: '{{ input.user_variables }}' } } } }),
  });
  const body = { message: 'x', user_variables };
  const { body: result } = await call('triggerFlow', { key: agent.key, params: pathTo(agent), body });
  expect(result.response).toEqual({ got: user_variables });
  const made = await create({ tool_config: user_variables });
  expect(made.body.tool_config).toEqual(user_variables);
}

async function manyFilters(): Promise<void> {
  const tag = Array.from({ length: 10 }, (_, n) => `tag-${n}`);
  const query = { workspaceid: caller.workspaceid, tag, q: 'one two three four five six seven eight' };
  expect((await call('listRegistryRows', { key: caller.key, query })).status).toBe(200);
}

const event = (agent: { key: string; flowid: string }, text: string) =>
  call('acceptWebhook', {
    key: agent.key,
    params: { flow_id: agent.flowid },
    body: { event: 'e', data: { text } },
  });

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const cases: Record<AwsLimit, () => Promise<void>> = {
  kmsMessageBytes: async () => {
    const { body } = await create({
      agent_card: card({ description: 'd'.repeat(awsLimits.kmsMessageBytes) }),
    });
    await verifyBySpecification(await fetchCurrentCard(body.card_url, caller.key));
  },
  kmsPlaintextBytes: async () => {
    const text = 'p'.repeat(awsLimits.kmsPlaintextBytes + 1);
    const context = { tenant: 'test', purpose: 'test' };
    expect(await decrypt(await encrypt(text, context), context)).toBe(text);
  },
  kmsContextBytes: async () => {
    const longest = await longestCaller();
    expect((await create({ flowid: longestFlowid() }, {}, longest)).status).toBe(201);
    expect(readPointers(await create({ flowid: `${longestFlowid()}f` }, {}, longest))).toEqual([
      '/body/flowid',
    ]);
  },
  dynamoItemBytes: async () => {
    await largestBuildLives();
    const tool_config = { text: 't'.repeat(bytesMax.toolConfig) };
    expect(readPointers(await create({ tool_config }))).toEqual(['/body/tool_config']);
  },
  dynamoPartitionKeyBytes: async () => {
    const longest = await longestCaller();
    const flowid = longestFlowid();
    const tags = ['😀'.repeat(32), '漢'.repeat(64), 'w'.repeat(64)];
    await create({ flowid, agent_card: card({ tags }) }, {}, longest);
    for (const tag of tags) {
      const query = { workspaceid: longest.workspaceid, tag };
      expect((await call('listRegistryRows', { key: longest.key, query })).body.items).toHaveLength(1);
    }
    const query = { workspaceid: `${longest.workspaceid}w` };
    const { problem } = await call('listRegistryRows', { key: longest.key, query });
    expect(problem.errors?.[0]?.pointer).toBe('/query/workspaceid');
  },
  dynamoSortKeyBytes: async () => {
    const name = unique('once').padEnd(255, 'i');
    expect((await create({}, { 'idempotency-key': name })).status).toBe(201);
    expect(readPointers(await create({}, { 'idempotency-key': `${name}i` }))).toEqual([
      '/headers/idempotency-key',
    ]);
  },
  dynamoKeyBytesMin: async () => {
    const { key, workspaceid } = caller;
    for (const [name, query] of [
      ['workspaceid', { workspaceid: '' }],
      ['flowid', { workspaceid, flowid: '' }],
      ['cursor', { workspaceid, cursor: '' }],
    ] as const) {
      const { problem } = await call('listRegistryRows', { key, query });
      expect(problem.errors?.[0]?.pointer).toBe(`/query/${name}`);
    }
  },
  dynamoTransactionItems: largestBuildLives,
  dynamoTransactionBytes: largestBuildLives,
  dynamoBatchGetItems: async () => {
    const names = Array.from({ length: awsLimits.dynamoBatchGetItems + 1 }, (_, n) => `crm_${n}`);
    const declared = { type: 'http_bearer', hosts: ['api.crm.example'] };
    const connections = Object.fromEntries(names.map((name) => [name, declared]));
    const agent = await liveAgent({ flow: flow({ connections }) });
    const id = await startedRun(agent);
    await idle();
    expect((await runState(agent, id)).status).toBe('auth_required');
  },
  dynamoBatchWriteItems: async () => {
    const tags = Array.from({ length: awsLimits.dynamoBatchWriteItems + 1 }, (_, n) => unique(`t${n}`));
    await create({ agent_card: card({ tags }) });
    for (const tag of tags.slice(-2)) {
      const query = { workspaceid: caller.workspaceid, tag };
      expect((await call('listRegistryRows', { key: caller.key, query })).body.items).toHaveLength(1);
    }
  },
  dynamoQueryBytes: async () => {
    const text = randomBytes((awsLimits.dynamoQueryBytes * 3) / 4 + 90_000).toString('base64');
    const nodes = { done: { type: 'end', output: { parts: text.match(/.{1,100000}/g) ?? [] } } };
    const { body } = await create({ flow: flow({ nodes }) });
    const params = { a2aregistryid: body.a2aregistryid };
    const read = await call('getRegistryRow', { key: caller.key, params, query: { flow: 'true' } });
    expect(read.body.flow).toEqual(flow({ nodes }));
  },
  dynamoNumberDigits: async () => await inputComesBack({ large: 1e300, small: 1e-300, precise: 0.1 + 0.2 }),
  dynamoNestingLevels: async () => await inputComesBack(nested(awsLimits.dynamoNestingLevels + 8)),
  dynamoExpressionBytes: manyFilters,
  dynamoExpressionOperators: manyFilters,
  sqsMessageBytes: async () => {
    const agent = await liveAgent();
    // Four bytes each, which become twelve in the queue.
    const { body, status } = await event(agent, '😀'.repeat(63_900));
    expect(status).toBe(202);
    await idle();
    expect((await runState(agent, body.triggerId)).status).toBe('completed');
    expect((await event(agent, '😀'.repeat(64_000))).problem.code).toBe('payload_too_large');
  },
  sqsBatchEntries: async () => {
    const crm = { type: 'http_bearer', hosts: ['api.crm.example'] };
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) });
    const ids: string[] = [];
    while (ids.length <= awsLimits.sqsBatchEntries) ids.push(await startedRun(agent));
    await idle();
    await putConnection(agent, 'crm', bearer());
    await idle();
    for (const id of ids) expect((await runState(agent, id)).status).toBe('completed');
  },
  sqsDelaySeconds: async () => {
    const nodes = {
      rest: { type: 'wait', seconds: awsLimits.sqsDelaySeconds + 100, next: 'done' },
      done: { type: 'end', output: {} },
    };
    const agent = await liveAgent({ flow: flow({ start: 'rest', nodes }) });
    const id = await startedRun(agent);
    await expect.poll(async () => (await runState(agent, id)).status).toMatch(/^(running|pending)$/);
    await call('cancelRun', { key: agent.key, params: { workspace_id: agent.workspaceid, workflow_id: id } });
  },
  sqsGroupIdCharacters: async () => {
    const longest = await longestCaller();
    const row = await newRow(longest, { flowid: longestFlowid() });
    const params = { a2aregistryid: row.a2aregistryid };
    await call('promoteRegistryRow', { key: longest.key, params });
    expect((await event({ ...longest, flowid: row.flowid }, 'x')).status).toBe(202);
  },
  sqsAttributes: async () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-mine-${n}`, 'x']));
    const agent = await liveAgent();
    const body = { event: 'e', data: {} };
    const params = { flow_id: agent.flowid };
    expect((await call('acceptWebhook', { key: agent.key, params, body, headers })).status).toBe(202);
  },
  lambdaRequestBytes: async () => {
    const start = JSON.stringify({ ...createBody(), tool_config: { text: '' } }).slice(0, -3);
    const text = `${start}${'\\"'.repeat((3_000_000 - start.length - 3) / 2)}"}}`;
    const { key, workspaceid } = caller;
    const most = await call('createRegistryRow', { key, query: { workspaceid }, text });
    expect(readPointers(most)).toEqual(['/body/tool_config']);
    const over = await call('createRegistryRow', { key, query: { workspaceid }, text: `${text}  ` });
    expect(over.problem.code).toBe('payload_too_large');
  },
  lambdaAnswerBytes: async () => {
    const owner = await newCaller();
    // A quote has one byte more in JSON, and three more where that JSON is a text in JSON.
    const variables = Array.from({ length: 12 }, (_, n) => [`NAME_${n}`, '"'.repeat(2_048)]);
    const env_variable = Object.fromEntries(variables);
    const { orgid, workspaceid, key } = owner;
    await rowWriter().putMany(
      Array.from({ length: 90 }, () => storedRow({ orgid, workspaceid, env_variable })),
    );
    const query = { workspaceid, limit: '200' };
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? {} : { cursor };
      const { body } = await call('listRegistryRows', { key, query: { ...query, ...more } });
      sizes.push(body.items.length);
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(90);
  },
  lambdaStreamBytes: async () => {
    const text = 'x'.repeat(100_000);
    const nodes = { done: { type: 'end', output: { parts: Array.from({ length: 15 }, () => text) } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const { body } = await call('triggerFlow', {
      key: agent.key,
      params: pathTo(agent),
      body: { message: '' },
    });
    expect(body.response).toEqual({ parts: nodes.done.output.parts });
  },
  gatewayBodyBytes: async () => {
    const { key, workspaceid } = caller;
    const text = 'x'.repeat(3_000_001);
    const { problem } = await call('createRegistryRow', { key, query: { workspaceid }, text });
    expect(problem.code).toBe('payload_too_large');
  },
  gatewayHeaderBytes: async () => {
    const { key, workspaceid } = caller;
    const headers = { 'x-long': 'h'.repeat(8_500) };
    expect((await call('listRegistryRows', { key, query: { workspaceid }, headers })).status).toBe(200);
  },
  logEventBytes: async () => {
    const { problem } = await call('getRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: 'x'.repeat(8_000) },
    });
    expect(problem.errors?.[0]?.pointer).toBe('/path/a2aregistryid');
  },
  metricDimensionCharacters: async () => {
    const query = { workspaceid: caller.workspaceid, tag: 'd'.repeat(64) };
    expect((await call('listRegistryRows', { key: caller.key, query })).status).toBe(200);
  },
};

describe('the limit of', () => {
  test.each(Object.entries(cases))(
    '%s is handled as docs/aws-limits.md states',
    async (_limit, meet) => meet(),
    60_000,
  );
});

test('docs/aws-limits.md matches the table: `npx vitest run --project api aws-limits -u` writes it', async () => {
  expect(Object.keys(limitRows)).toEqual(Object.keys(awsLimits));
  await expect(limitsPage()).toMatchFileSnapshot('../../docs/aws-limits.md');
});
