// `call_agent` with "continue", while the page for connections resumes the task: between two reads of the call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { flow } from '#test/support/builders.ts';
import { request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { liveAgent } from '#test/support/flows.ts';
import { callTool } from '#test/support/mcp-request.ts';
import { runState } from '#test/support/run-calls.ts';
import { eventually } from '#test/support/runs.ts';

const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'], label: 'The CRM' } };
const ask = { type: 'ask', prompt: 'What now?', next: 'done' };
const done = { type: 'end', output: { answer: 'Done.' } };
/** Takes any text as the answer to its question. */
const asking = flow({ start: 'ask', nodes: { ask, done }, connections });
const silent = flow({ start: 'done', nodes: { done }, connections });

/** While a call is looked at: the task, and what happens at its second read. */
let watched:
  | { readonly runKey: string; readonly meanwhile: () => Promise<unknown>; reads: number }
  | undefined;
let proxy: AwsProxy;

beforeAll(async () => {
  installAwsLambda();
  proxy = await startAwsProxy(
    process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    async (operation, body): Promise<'pass'> => {
      if (!watched || !/^(Query|GetItem)$/.test(operation) || !body.includes(watched.runKey)) return 'pass';
      watched.reads += 1;
      if (watched.reads === 2) await watched.meanwhile();
      return 'pass';
    },
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => await proxy.close());

const answer = z.object({
  result: z.looseObject({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({ task_id: z.string(), state: z.string(), text: z.string() }),
  }),
});

async function callAgent(caller: TestCaller, args: object) {
  const { body } = await request('callConnector', caller, callTool('call_agent', args));
  return answer.parse(JSON.parse(body)).result;
}

test.each([
  ['has ended, gets its result', silent, { state: 'completed', text: 'Done.' }],
  ['has asked something, gets the question', asking, { state: 'input_required' }],
])('a call for a task that meanwhile %s', async (_, document, outcome) => {
  const agent = await liveAgent({ flow: document });
  const caller = { ...(await newCaller()), ...agent };
  const args = { registry_id: agent.a2aregistryid };
  const { task_id, state } = (await callAgent(caller, { ...args, message: 'Hello' })).structuredContent;
  expect(state).toBe('auth_required');
  watched = {
    runKey: `RUN#${task_id}`,
    reads: 0,
    meanwhile: async () => {
      await putConnection(agent, 'crm', bearer());
      await eventually(
        () => runState(agent, task_id),
        ({ status }) => status === outcome.state,
      );
    },
  };
  const { isError = false, structuredContent } = await callAgent(caller, {
    ...args,
    task_id,
    message: 'continue',
  });
  expect(watched.reads).toBeGreaterThan(1);
  watched = undefined;
  expect({ isError, ...structuredContent }).toMatchObject({ isError: false, ...outcome });
});
