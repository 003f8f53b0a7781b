// The conversations of an `agent` with other agents: each turn continues those of the turns before.
import { describe, expect, test } from 'vitest';
import type { AgentRequest } from '#lib/flow/ports/agent.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { mistakes, withNode } from '../check/faulty-flows.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';
import { agentFlow, question, resumed, runAgent, says, turns, wants } from './scripted-agents.ts';

const remote = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const shop: JsonObject = { a2a: remote, name: 'shop', description: 'Asks the shop.' };
const ask = (message: string) => ['shop', { message }] as const;

/** Begins the conversations c1, c2, …; later messages are answered before earlier ones. */
function shopKeeper() {
  const requests: AgentRequest[] = [];
  let begun = 0;
  return {
    sent: () => requests.map(({ text, context_id }) => [text, context_id]),
    agent: async (request: AgentRequest) => {
      requests.push(request);
      const context_id = request.context_id ?? `c${++begun}`;
      if (request.text === 'slow') for (let n = 0; n < 100; n++) await Promise.resolve();
      return { state: 'completed', context_id, text: 'ok' } as const;
    },
  };
}

test('a turn continues the conversation of the turn before', async () => {
  const { agent, sent } = shopKeeper();
  const model = turns(wants(ask('one')), wants(ask('two')), says('ok'));
  await runAgent({ tools: [shop] }, { agent, model });
  expect(sent()).toEqual([
    ['one', undefined],
    ['two', 'c1'],
  ]);
});

test('after several uses in one turn it is that of the last use, whichever ended first', async () => {
  const { agent, sent } = shopKeeper();
  const model = turns(wants(ask('fast'), ask('slow')), wants(ask('then')), says('ok'));
  await runAgent({ tools: [shop] }, { agent, model });
  expect(sent()).toEqual([
    ['fast', undefined],
    ['slow', undefined],
    ['then', 'c2'],
  ]);
  const other = shopKeeper();
  const reverse = turns(wants(ask('slow'), ask('fast')), wants(ask('then')), says('ok'));
  await runAgent({ tools: [shop] }, { agent: other.agent, model: reverse });
  expect(other.sent().at(-1)).toEqual(['then', 'c2']);
});

test('each use of the tool sends a message with a key of its own', async () => {
  const keys: string[] = [];
  const agent = async ({ key }: AgentRequest) => {
    keys.push(key);
    return { state: 'completed', text: 'ok' } as const;
  };
  const model = turns(wants(ask('same'), ask('same')), wants(ask('same')), says('ok'));
  await runAgent({ tools: [shop] }, { agent, model });
  expect(new Set(keys).size).toBe(3);
});

test('context_id of the tool names the conversation, or a new one', async () => {
  for (const [context_id, expected] of [
    ['{{ input.message }}', question.input.message],
    [null, undefined],
  ] as const) {
    const { agent, sent } = shopKeeper();
    const model = turns(wants(ask('one')), wants(ask('two')), says('ok'));
    await runAgent({ tools: [{ ...shop, context_id }] }, { agent, model });
    expect(sent().map(([, id]) => id)).toEqual([expected, expected]);
  }
});

test('the model cannot choose the conversation', () => {
  const node = {
    type: 'agent',
    instructions: 'x',
    next: 'b',
    tools: [{ ...shop, context_id: '{{ args.id }}' }],
  };
  expect(mistakes(withNode(node))).toContainEqual(
    expect.objectContaining({ pointer: '/nodes/a/tools/0/context_id' }),
  );
});

describe('the nodes of a run share a conversation:', () => {
  const nodes = {
    first: { type: 'a2a', agent: remote, message: 'hello', next: 'work' },
    work: { type: 'agent', instructions: 'x', tools: [shop], next: 'last' },
    last: { type: 'a2a', agent: remote, message: 'bye', next: 'done' },
    done: { type: 'end', output: {} },
  };

  test('an agent continues that of the nodes before it, and the nodes after it continue its own', async () => {
    const { agent, sent } = shopKeeper();
    const model = turns(wants(ask('one')), says('ok'));
    await run(checkedFlow(nodes), scripted({ agent, model }), question);
    expect(sent().map(([, id]) => id)).toEqual([undefined, 'c1', 'c1']);
  });

  test('a child agent continues that of its parent, which does not continue what the child began', async () => {
    const { agent, sent } = shopKeeper();
    const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.', tools: [shop] };
    const model = turns(
      wants(['helper', { message: 'Go.' }]),
      wants(ask('child')),
      says('done'),
      wants(ask('parent')),
      wants(['helper', { message: 'Go.' }]),
      wants(ask('second child')),
      says('done'),
      says('ok'),
    );
    await runAgent({ tools: [shop], agents: [helper] }, { agent, model });
    expect(sent()).toEqual([
      ['child', undefined],
      ['parent', undefined],
      ['second child', 'c2'],
    ]);
  });
});

test('an agent that is resumed in another process continues its conversation', async () => {
  const order = {
    http: { method: 'POST', url: 'https://api.example.com/' },
    name: 'order',
    description: 'x',
  };
  const tools = [shop, { ...order, approval: 'always' }];
  const flow = agentFlow({ tools }, { egress: ['api.example.com'] });
  const model = turns(wants(ask('one')), wants(['order', {}]));
  const paused = await run(flow, scripted({ agent: shopKeeper().agent, model }), question);
  const { agent, sent } = shopKeeper();
  const later = { agent, model: turns(wants(ask('two')), says('ok')) };
  await resumed(flow, paused, later, { answer: { value: 'deny' } });
  expect(sent()).toEqual([['two', 'c1']]);
});
