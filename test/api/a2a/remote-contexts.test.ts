// Flows that call an agent of the service several times: the agent sees one conversation.
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { startServer } from '#test/support/server-process.ts';
import { testedService } from '#test/support/tested-service.ts';

const { host } = new URL(testedService().baseUrl);

/** Says in which conversation it was asked, and for the how many-th time. */
const counting = flow({
  nodes: {
    done: { type: 'end', output: { turn: '{{ run.turn }}', context: '{{ input.a2a.contextId }}' } },
  },
});

async function connected(caller: TestCaller): Promise<JsonObject> {
  const declared = { type: 'http_header', hosts: [host] };
  const credential = { header: 'X-API-Key', value: caller.key };
  await putConnection(caller, 'agents', { ...declared, credential });
  return { agents: declared };
}

interface Calls {
  readonly caller: TestCaller;
  readonly other: TestAgent;
  readonly second?: JsonObject;
}

/** Calls the other agent twice, with a question to the caller in between if there is one. */
async function callingTwice({ caller, other, second = {} }: Calls, between: JsonObject = {}) {
  const node = { type: 'a2a', agent: other.a2aregistryid, message: 'Hi', connection: 'agents' };
  const nodes = {
    first: { ...node, next: Object.keys(between)[0] ?? 'second' },
    ...between,
    second: { ...node, ...second, next: 'done' },
    done: { type: 'end', output: { out: '{{ [nodes.first.data, nodes.second.data] }}' } },
  };
  const connections = await connected(caller);
  return await liveAgent({ flow: flow({ start: 'first', nodes, connections }) }, caller);
}

const answers = z.array(z.object({ turn: z.number(), context: z.string() }));

async function responseOf({ flowid, workspaceid, key }: TestAgent) {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  const { text } = await call('triggerFlow', { key, params, body: { message: 'Go' } });
  return answers.parse(JSON.parse(text).response?.out);
}

test('the second call is the second message of the conversation that the first one began', async () => {
  const caller = await newCaller();
  const other = await liveAgent({ flow: counting }, caller);
  const out = await responseOf(await callingTwice({ caller, other }));
  const context = expect.stringMatching(/./);
  expect(out).toEqual([
    { turn: 1, context },
    { turn: 2, context },
  ]);
  expect(new Set(out.map((each) => each.context)).size).toBe(1);
});

test('an agent elsewhere, by the official SDK, receives the context that it gave', async () => {
  const server = await startServer('a2a');
  try {
    const node = { type: 'a2a', agent: `${server.url}/agent` };
    const nodes = {
      first: { ...node, message: 'report', next: 'second' },
      second: { ...node, message: 'tell me', next: 'third' },
      third: { ...node, message: 'tell me', context_id: null, next: 'done' },
      done: {
        type: 'end',
        output: { given: '{{ nodes.first.context_id }}', all: '{{ [nodes.second.data, nodes.third.data] }}' },
      },
    };
    const agent = await liveAgent({ flow: flow({ start: 'first', nodes, egress: [server.host] }) });
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const { text } = await call('triggerFlow', { key: agent.key, params, body: { message: 'Go' } });
    const { response } = z
      .object({ response: z.object({ given: z.string(), all: z.array(z.looseObject({})) }) })
      .parse(JSON.parse(text));
    const [second, third] = response.all;
    expect(second).toMatchObject({ contextId: response.given });
    expect(third?.contextId).not.toBe(response.given);
  } finally {
    await server.stop();
  }
});

test('with context_id null it is the first message of another', async () => {
  const caller = await newCaller();
  const other = await liveAgent({ flow: counting }, caller);
  const out = await responseOf(await callingTwice({ caller, other, second: { context_id: null } }));
  expect(out).toMatchObject([{ turn: 1 }, { turn: 1 }]);
});

test('an agent of another organisation counts the messages of each organisation by themselves', async () => {
  const owner = await newCaller();
  const other = await liveAgent({ flow: counting, agent_card: card(), visibility: 'public' }, owner);
  const [one, two] = [await newCaller(), await newCaller()];
  const out = await responseOf(await callingTwice({ caller: one, other }));
  expect(out).toMatchObject([{ turn: 1 }, { turn: 2 }]);
  const context = out[0]?.context ?? '';
  const thief = await callingTwice({ caller: two, other, second: { context_id: context } });
  expect(await responseOf(thief)).toMatchObject([{ turn: 1 }, { turn: 1, context }]);
});

test('a run that waited for an answer continues the conversation', async () => {
  const caller = await newCaller();
  const other = await liveAgent({ flow: counting }, caller);
  const ask = { ask: { type: 'ask', prompt: 'Go on?', next: 'second' } };
  const agent = await callingTwice({ caller, other }, ask);
  const id = await startedRun(agent);
  await idle();
  expect(await runState(agent, id)).toMatchObject({ status: 'input_required' });
  await resumeRun(agent, id, { answer: 'Yes' });
  await idle();
  expect(await runState(agent, id)).toMatchObject({
    status: 'completed',
    response: { out: [{ turn: 1 }, { turn: 2 }] },
  });
});
