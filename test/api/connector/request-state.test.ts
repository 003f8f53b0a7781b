// The state that a call leaves with its client while the user is asked: good for its principal, method, task and time,
// and for one answer.
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createStateCodec } from '#lib/connector/request-state.ts';
import { newRunId } from '#lib/ids.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { mcpRequest } from '#test/support/connector.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';

const withForms = { elicitation: { form: {} } };
const asked = z.looseObject({
  resultType: z.literal('input_required'),
  requestState: z.string(),
  inputRequests: z.record(z.string(), z.unknown()),
});
const answer = (value: string) => ({ answer: { action: 'accept', content: { answer: value } } });

const callAgent = async (by: TestCaller, args: object, more: object = {}) =>
  await mcpRequest(by, 'tools/call', { name: 'call_agent', arguments: args, ...more }, withForms);

async function ask(agent: TestAgent, message = 'order 1') {
  const args = { registry_id: agent.a2aregistryid, message };
  const { requestState } = asked.parse((await callAgent(agent, args)).result);
  const send = async (state: string, by: TestCaller = agent, some: object = args, value = 'yes') =>
    await callAgent(by, some, { requestState: state, inputResponses: answer(value) });
  return { args, requestState, send };
}

/** A state that the service itself could have made. */
async function mint(
  { id, orgid }: Pick<TestCaller, 'id' | 'orgid'>,
  state: { readonly registry_id: string; readonly task_id: string; readonly question?: string },
  method = 'tools/call',
) {
  const codec = await createStateCodec({ id, orgid, workspaces: '*', scopes: new Set() });
  return await codec.mint(state, { mcpReq: { method } } as Parameters<typeof codec.mint>[1]);
}

afterEach(() => {
  vi.useRealTimers();
});

const refused = { code: -32602, message: expect.stringContaining('requestState') };

describe('a state is refused', () => {
  let agent: TestAgent;
  let call: Awaited<ReturnType<typeof ask>>;
  let state: { readonly registry_id: string; readonly task_id: string };
  beforeAll(async () => {
    agent = await liveAgent({ flow: askingFlow(), visibility: 'public' });
    call = await ask(agent);
    state = { registry_id: agent.a2aregistryid, task_id: newRunId() };
  });

  test('an hour after it was made', async () => {
    await mint(agent, state);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_601_000 });
    const expired = await mint(agent, state);
    vi.setSystemTime(Date.now() + 60_000);
    const last = await mint(agent, state);
    vi.useRealTimers();
    expect((await call.send(expired)).error).toMatchObject(refused);
    // Still good: its task does not exist.
    expect((await call.send(last)).error).toBeUndefined();
  });

  test('with another method', async () => {
    expect((await call.send(await mint(agent, state, 'prompts/get'))).error).toMatchObject(refused);
  });

  test('from another key, of the same or another organisation', async () => {
    for (const other of [await newCaller({ orgid: agent.orgid }), await newCaller()])
      expect((await call.send(call.requestState, other)).error).toMatchObject(refused);
    const namesake = { id: agent.id, orgid: 'org_other' };
    expect((await call.send(await mint(namesake, state))).error).toMatchObject(refused);
  });

  test('with any character changed, cut off or added', async () => {
    const { requestState } = call;
    const changed = [0, 1, 2, 3, 4, 5].map((n) => {
      const at = Math.floor((n * (requestState.length - 1)) / 5);
      // Differs in the high bits too: the last character carries four bits only (RFC 4648 section 3.5).
      const other = requestState[at] === 'A' ? 'w' : 'A';
      return requestState.slice(0, at) + other + requestState.slice(at + 1);
    });
    for (const forged of [
      ...changed,
      requestState.slice(1),
      requestState.slice(0, -1),
      `${requestState}A`,
      '',
      'x',
    ])
      expect((await call.send(forged)).error, forged).toMatchObject({ code: -32602 });
  });

  test('with the arguments of another call', async () => {
    const other = await liveAgent({ flow: askingFlow() }, agent);
    const { args } = await ask(other);
    for (const some of [args, { ...call.args, task_id: newRunId() }]) {
      const { result } = await call.send(call.requestState, agent, some);
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('The requestState is that of another call') }],
      });
    }
  });

  test('and the task still waits for its answer', async () => {
    const { result } = await call.send(call.requestState, agent, call.args, 'no');
    expect(result).toMatchObject({ structuredContent: { state: 'completed', text: 'no' } });
  });
});

test('a state that is sent again does not answer the next question', async () => {
  const next = { type: 'ask', prompt: 'Really?', choices: ['yes', 'no'], next: 'done' };
  const agent = await liveAgent({ flow: askingFlow({ next: 'again' }, { again: next }) });
  const { requestState, send } = await ask(agent);
  const second = asked.parse((await send(requestState)).result);
  expect(JSON.stringify(second.inputRequests)).toContain('Really?');
  const replayed = asked.parse((await send(requestState)).result);
  expect(JSON.stringify(replayed.inputRequests)).toContain('Really?');
  const { result } = await send(second.requestState);
  expect(result).toMatchObject({ structuredContent: { state: 'completed' } });
});

test('a state shows nothing of the task but its ids', async () => {
  const secret = 'The number of the customer is 4711.';
  const agent = await liveAgent({ flow: askingFlow() });
  const { requestState } = await ask(agent, secret);
  const readable = requestState.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  expect(readable.join(' ')).not.toContain('4711');
  expect(readable.join(' ')).toContain(agent.a2aregistryid);
});

test('an object of simple values is asked as a form with its members', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', title: 'Name' }, count: { type: 'integer', minimum: 1 } },
    required: ['name'],
  };
  const nodes = {
    who: { type: 'ask', prompt: 'Who, and how many?', schema, next: 'done' },
    done: { type: 'end', output: { answer: '{{ nodes.who.name }}: {{ nodes.who.count }}' } },
  };
  const agent = await liveAgent({ flow: flow({ start: 'who', nodes }) });
  const args = { registry_id: agent.a2aregistryid, message: 'Hello' };
  const { requestState, inputRequests } = asked.parse((await callAgent(agent, args)).result);
  expect(inputRequests).toMatchObject({ answer: { params: { requestedSchema: schema } } });
  const inputResponses = { answer: { action: 'accept', content: { name: 'Ada', count: 3 } } };
  const { result } = await callAgent(agent, args, { requestState, inputResponses });
  const { task_id, ...done } = z
    .looseObject({ task_id: z.string() })
    .parse(z.looseObject({ structuredContent: z.unknown() }).parse(result).structuredContent);
  expect(done).toMatchObject({ state: 'completed', text: 'Ada: 3' });
  expect(await runState(agent, task_id)).toMatchObject({ status: 'completed' });
});
