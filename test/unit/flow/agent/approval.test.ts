// Tools of an `agent` that somebody has to approve: asked before anything is done, done once, and never done
// after a no.
import { describe, expect, test } from 'vitest';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
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

const answered = (outcome: Outcome, value: Json) =>
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

describe('an answer that is an object', () => {
  test('approves with other arguments: they are used, and the model learns which', async () => {
    const { outcome } = await paused();
    const second = await answered(outcome, { approved: true, arguments: { n: 20 }, reason: 'as agreed' });
    expect(second.requests[0]).toMatchObject({ url: 'https://api.example.com/refund', body: '{"n":20}' });
    expect(reportedResults(second.prompts)[1]).toBe(
      '[Approved with other arguments: {"n":20}]\n{"status":200,"body":"x"}',
    );
    expect(second.prompts[0]?.messages[1]).toMatchObject({
      tool_calls: [{}, { name: 'refund', arguments: { n: 2 } }, {}],
    });
  });

  test.each([
    ['alone', { approved: true }],
    ['with the arguments of the model', { approved: true, arguments: { n: 2 } }],
  ])('approves %s: nothing is different', async (_what, value) => {
    const { outcome } = await paused();
    const second = await answered(outcome, value);
    expect(second.requests[0]).toMatchObject({ body: '{"n":2}' });
    expect(reportedResults(second.prompts)[1]).toBe('{"status":200,"body":"x"}');
  });

  test('denies with a reason, which goes to the model', async () => {
    const { outcome } = await paused();
    const second = await answered(outcome, { approved: false, reason: 'Too much.' });
    expect(sent(second.requests)).toEqual(['look']);
    expect(reportedResults(second.prompts)[1]).toBe(
      'Error: this use of the tool was denied; do not try it again. The reason: Too much.',
    );
  });

  test.each<[Json, string]>([
    [{}, 'the value: expected the property "approved"'],
    [{ approved: 'yes' }, '/approved: expected boolean'],
    [{ approved: true, arguments: { n: 'all' } }, '/arguments/n: expected integer'],
    [{ approved: true, arguments: { n: 1, host: 'evil' } }, '/arguments: unknown property "host"'],
    [{ approved: true, arguments: [1] }, '/arguments: expected object'],
    [{ approved: false, arguments: { n: 1 } }, '/arguments: expected no arguments unless "approved" is true'],
    [{ approved: true, target: 'x' }, 'the value: unknown property "target"'],
    [{ approved: false, reason: 'x'.repeat(1001) }, '/reason: '],
    [true, 'expected one of approve, deny, or an object with "approved"'],
    [[], 'expected one of approve, deny, or an object with "approved"'],
    [null, 'expected one of approve, deny, or an object with "approved"'],
  ])('%j is refused, the question stays open', async (value, fault) => {
    const { outcome } = await paused();
    const second = await answered(outcome, value);
    expect(second.outcome).toMatchObject({ status: 'refused', error: { code: 'answer.invalid' } });
    expect(JSON.stringify(second.outcome)).toContain(JSON.stringify(fault).slice(1, -1));
    expect(second.requests).toEqual([]);
  });

  test.each([
    ['large', { title: 'x'.repeat(5000) }],
    ['recursive', { properties: { n: { type: 'integer' }, next: { $ref: '#' } } }],
  ])('has no arguments where the parameters of the tool are %s', async (_what, some) => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, ...some };
    const agent = { tools: [tool('refund', { approval: 'always', parameters })] };
    const asked = await run(flow(agent), scripted({ model: turns(wants(['refund', { n: 2 }])) }), question);
    const change = { approved: true, arguments: { n: 3 } };
    const script = { model: turns(says('Done.')) };
    const refused = await resumed(flow(agent), asked, script, { answer: { value: change } });
    expect(JSON.stringify(refused.outcome)).toContain('unknown property \\"arguments\\"');
    const plain = await resumed(flow(agent), asked, script, { answer: { value: { approved: true } } });
    expect(sent(plain.requests)).toEqual(['refund']);
  });

  test('may change arguments whose schema refers to its definitions', async () => {
    const parameters = {
      type: 'object',
      properties: { n: { $ref: '#/$defs/count' } },
      $defs: { count: { type: 'integer', maximum: 5 } },
    };
    const agent = { tools: [tool('refund', { approval: 'always', parameters })] };
    const asked = await run(flow(agent), scripted({ model: turns(wants(['refund', { n: 2 }])) }), question);
    const answer = (n: number) =>
      resumed(
        flow(agent),
        asked,
        { model: turns(says('Done.')) },
        { answer: { value: { approved: true, arguments: { n } } } },
      );
    expect(JSON.stringify((await answer(6)).outcome)).toContain('/arguments/n: ');
    expect((await answer(5)).requests).toMatchObject([{ body: '{"n":5}' }]);
  });

  test('is accepted for a question that an earlier release has asked, whose memory lacks the new fields', async () => {
    const { outcome } = await paused();
    const old = JSON.parse(JSON.stringify(outcome), (key, value: unknown) =>
      ['schema', 'reason', 'isEdited', 'questions', 'assigned', 'final'].includes(key) ? undefined : value,
    );
    expect(JSON.stringify(old)).not.toContain('isEdited');
    const second = await answered(old, { approved: false, reason: 'Too much.' });
    expect(sent(second.requests)).toEqual(['look']);
    expect(reportedResults(second.prompts)[1]).toContain('Too much.');
    expect(sent((await answered(old, 'approve')).requests)).toEqual(['refund', 'look']);
    const edited = await answered(old, { approved: true, arguments: { n: 3 } });
    expect(edited.outcome).toMatchObject({ status: 'refused', error: { code: 'answer.invalid' } });
  });
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
