// Tools of an `agent` that somebody has to approve: asked before anything is done, done once, and never done
// after a no.
import { expect, test } from 'vitest';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { httpAnswer, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const tool = (name: string, some: JsonObject = {}): JsonObject => ({
  http: { method: 'POST', url: `https://api.example.com/${name}`, body: { n: '{{ args.n }}' } },
  name,
  description: name,
  parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  ...some,
});
const agent = { tools: [tool('look'), tool('refund', { approval: 'always' })] };
const flow = (some: JsonObject = agent) => agentFlow(some, { egress: ['api.example.com'] });

async function paused(some?: JsonObject) {
  const calls = [
    ['look', { n: 1 }],
    ['refund', { n: 2 }],
    ['look', { n: 3 }],
  ] as const;
  const recorded = scripted({ model: turns(wants(...calls)) });
  return { outcome: await run(flow(some), recorded, question), ...recorded };
}

const sent = (requests: readonly { readonly url: string }[]) =>
  requests.map(({ url }) => url.split('/').at(-1));

const answered = (outcome: Outcome, value: string) =>
  resumed(
    flow(),
    outcome,
    { model: turns(says('Done.')), http: async () => httpAnswer(200, 'x') },
    { answer: { value } },
  );

test('shows tool, target and arguments before the tool runs; tools before it have run, those after it wait', async () => {
  const { outcome, requests } = await paused();
  expect(outcome).toMatchObject({
    status: 'input_required',
    requests: [
      {
        id: 'work.1',
        node_id: 'work',
        purpose: 'approval',
        prompt: 'The agent wants to use refund (POST api.example.com) with {"n":2}. Approve or deny?',
        choices: ['approve', 'deny'],
        detail: { tool: 'refund', target: 'POST api.example.com', arguments: { n: 2 } },
      },
    ],
  });
  expect(sent(requests)).toEqual(['look']);
});

test('approved in a new engine, the tool runs exactly once, and the conversation continues', async () => {
  const { outcome } = await paused();
  const second = await answered(outcome, 'approve');
  expect(sent(second.requests)).toEqual(['refund', 'look']);
  expect(second.requests[0]).toMatchObject({
    body: '{"n":2}',
    headers: { 'idempotency-key': 'run-1.work.1.1_1' },
  });
  expect(readAgentOutput(second.outcome)).toMatchObject({ text: 'Done.', turns: 2 });
});

test('denied, the tool does not run, and that is reported to the model', async () => {
  const { outcome } = await paused();
  const second = await answered(outcome, 'deny');
  expect(sent(second.requests)).toEqual(['look']);
  expect(reportedResults(second.prompts)[1]).toBe(
    'Error: this use of the tool was denied; do not try it again',
  );
});

test('any other answer is refused, and the question stays open', async () => {
  const { outcome } = await paused();
  const second = await answered(outcome, 'yes');
  expect(second.outcome).toMatchObject({ status: 'refused', error: { code: 'answer.invalid' } });
  expect(second.requests).toEqual([]);
});

test('an approval is for one use: the next use asks again', async () => {
  const { outcome } = await paused();
  const model = turns(wants(['refund', { n: 2 }]));
  const second = await resumed(flow(), outcome, { model }, { answer: { value: 'approve' } });
  expect(second.outcome).toMatchObject({ status: 'input_required', requests: [{ purpose: 'approval' }] });
  expect(sent(second.requests)).toEqual(['refund', 'look']);
});

test('an approval names its question: the one before approves nothing that nobody has seen', async () => {
  const { outcome } = await paused();
  const model = turns(wants(['refund', { n: 9 }]));
  const second = await resumed(flow(), outcome, { model }, { answer: { id: 'work.1', value: 'approve' } });
  expect(second.outcome).toMatchObject({ requests: [{ id: 'work.1-2', detail: { arguments: { n: 9 } } }] });
  const again = await resumed(flow(), second.outcome, {}, { answer: { id: 'work.1', value: 'approve' } });
  expect(again.outcome).toMatchObject({ status: 'refused', error: { code: 'answer.unknown' } });
  const http = async () => httpAnswer(200, 'x');
  const last = { model: turns(says('Done.')), http };
  const third = await resumed(flow(), second.outcome, last, { answer: { id: 'work.1-2', value: 'approve' } });
  expect(sent(third.requests)).toEqual(['refund']);
  expect(readAgentOutput(third.outcome)).toMatchObject({ text: 'Done.' });
});

test('arguments that do not fit are not put to anybody', async () => {
  const recorded = scripted({ model: turns(wants(['refund', { n: 'all' }]), says('Sorry.')) });
  expect((await run(flow(), recorded, question)).status).toBe('completed');
});

test('a server that replaces the approved tool by another receives no call', async () => {
  const mcp = (place: string) => ({
    tools: [{ mcp: `https://api.example.com/${place}`, approval: 'always' }],
  });
  const search = { name: 'search', description: '', parameters: { type: 'object' } };
  const calls: unknown[] = [];
  const port = {
    list: async () => [search],
    call: async (...call: readonly unknown[]) => {
      calls.push(call);
      return { content: 'x', isError: false };
    },
  };
  const first = scripted({ mcp: port, model: turns(wants(['search', {}])) });
  const asked = await run(flow(mcp('a')), first, question);
  const script = { mcp: port, model: turns(says('ok')) };
  const second = await resumed(flow(mcp('b')), asked, script, { answer: { value: 'approve' } });
  expect(reportedResults(second.prompts)).toEqual([
    'Error: the tool is not the one any more that was asked for',
  ]);
  expect(calls).toEqual([]);
});

test('a tool of a child agent asks through the run, and its conversation continues', async () => {
  const child = {
    name: 'clerk',
    description: 'x',
    instructions: 'Refund.',
    tools: [tool('refund', { approval: 'always' })],
  };
  const parent = { agents: [child] };
  const first = scripted({
    model: turns(wants(['clerk', { message: 'Refund 2.' }]), wants(['refund', { n: 2 }])),
  });
  const asked = await run(flow(parent), first, question);
  expect(asked).toMatchObject({ requests: [{ id: 'work.1', purpose: 'approval' }] });
  const model = turns(says('Refunded.'), says('All done.'));
  const second = await resumed(flow(parent), asked, { model }, { answer: { value: 'approve' } });
  expect(sent(second.requests)).toEqual(['refund']);
  expect(reportedResults(second.prompts)).toEqual(['Refunded.']);
  expect(readAgentOutput(second.outcome)).toMatchObject({ text: 'All done.', turns: 2 });
});
