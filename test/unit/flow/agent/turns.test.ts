// How many turns an `agent` has, what follows the last one, and whether the first one uses a tool.
import { describe, expect, test } from 'vitest';
import type { McpPort } from '#lib/flow/ports/mcp.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { checkedFlow, run, runNodes, scripted } from '../scripted.ts';
import {
  agentFlow,
  question,
  readAgentOutput,
  resumed,
  runAgent,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const look = {
  http: { url: 'https://api.example.com/{{ args.what }}' },
  name: 'look',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
};
const around = { egress: ['api.example.com', 'kb.example'] };
const looks = () => wants(['look', { what: 'a' }]);

describe('after max_turns', () => {
  const agent = { tools: [look], max_turns: 2, on_max_turns: 'answer' };

  test('the model must answer in one more turn, with its tools forbidden', async () => {
    const { outcome, prompts, entries } = await runAgent(
      agent,
      { model: turns(looks(), looks(), says('As far as I know: a.')) },
      around,
    );
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'As far as I know: a.', turns: 3 });
    expect(prompts.map(({ tool_choice }) => tool_choice)).toEqual([undefined, undefined, 'none']);
    expect(prompts.map(({ tools }) => tools?.length)).toEqual([1, 1, 1]);
    expect(prompts[2]?.system).toMatch(/^Be brief\.\n\nThis is your last turn: answer now/);
    expect(prompts[2]?.messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(entries.flatMap(({ event, message }) => (event === 'turn' ? [message] : []))).toEqual([
      'turn 1 of 2 (demo/scripted): wants look',
      'turn 2 of 2 (demo/scripted): wants look',
      'last turn (demo/scripted): answers',
    ]);
  });

  test('a model that wants a tool in that turn uses none, and the agent fails', async () => {
    const { outcome, requests } = await runAgent(agent, { model: turns(looks(), looks(), looks()) }, around);
    const message =
      'no answer after 2 turns: in the last turn, in which no tool can be used, demo/scripted called look.';
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'agent.max_turns', message } });
    expect(requests).toHaveLength(2);
  });

  test('the flow can lead on to another node, by `catch`', async () => {
    const { outcome } = await runNodes(
      {
        work: {
          type: 'agent',
          instructions: 'x',
          tools: [look],
          max_turns: 1,
          catch: [{ on: ['agent.max_turns'], next: 'person' }],
          next: 'done',
        },
        done: { type: 'end', output: { by: 'agent' } },
        person: { type: 'end', output: { by: 'person' } },
      },
      { model: turns(looks()) },
      { flow: around },
    );
    expect(outcome).toMatchObject({ response: { by: 'person' } });
  });

  test('a run that resumes anywhere has the same turns', async () => {
    const flow = agentFlow(agent, around);
    const model = ({ tool_choice }: ModelRequest) => (tool_choice === 'none' ? says('a') : looks());
    const recorded = scripted({ model });
    await run(flow, recorded, question);
    expect(recorded.snapshots.length).toBeGreaterThan(4);
    for (const text of recorded.snapshots) {
      const snapshot = JSON.parse(text);
      const { outcome } = await resumed(flow, { status: 'yielded', snapshot }, { model });
      expect(readAgentOutput(outcome)).toMatchObject({ text: 'a', turns: 3 });
    }
  });

  test('a child agent has turns of its own', async () => {
    const child = { name: 'clerk', description: 'x', instructions: 'Clerk.', ...agent, max_turns: 1 };
    const { outcome, prompts } = await runAgent(
      { agents: [child] },
      { model: turns(wants(['clerk', { message: 'a' }]), looks(), says('a'), says('Done.')) },
      around,
    );
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'Done.', turns: 2 });
    expect(prompts.map(({ tool_choice }) => tool_choice)).toEqual([undefined, undefined, 'none', undefined]);
  });
});

describe('tool_choice', () => {
  const chosen = (tool_choice: unknown, some: JsonObject = {}) =>
    ({ tools: [look], tool_choice, ...some }) as JsonObject;
  const choices = (prompts: readonly ModelRequest[]) => prompts.map(({ tool_choice }) => tool_choice);

  test.each([['required'], [{ tool: 'look' }]])(
    '%j is for the first turn, also with several',
    async (choice) => {
      const { outcome, prompts } = await runAgent(
        chosen(choice),
        { model: turns(looks(), looks(), says('a')) },
        around,
      );
      expect(readAgentOutput(outcome)).toMatchObject({ text: 'a' });
      expect(choices(prompts)).toEqual([choice, undefined, undefined]);
    },
  );

  test('auto is not sent, none is', async () => {
    const auto = await runAgent(chosen('auto'), { model: turns(says('a')) }, around);
    expect(choices(auto.prompts)).toEqual([undefined]);
    const none = await runAgent(chosen('none'), { model: turns(says('a')) }, around);
    expect(choices(none.prompts)).toEqual(['none']);
  });

  test.each([
    [
      'required',
      says('a'),
      'demo/scripted answered without a tool, and tool_choice is required: expected a call.',
    ],
    [
      { tool: 'look' },
      wants(['rm', {}]),
      'demo/scripted called rm, and tool_choice is the tool "look": expected a call.',
    ],
    [
      'none',
      looks(),
      'demo/scripted called look, and tool_choice is none: expected an answer without tools.',
    ],
  ])('%j that a model does not respect is an error, and nothing runs', async (choice, answer, message) => {
    const { outcome, requests } = await runAgent(chosen(choice), { model: turns(answer) }, around);
    expect(outcome).toMatchObject({ error: { code: 'model.bad_answer', message } });
    expect(requests).toEqual([]);
  });

  test('a tool that its server does not offer now is agent.no_tool', async () => {
    const mcp: McpPort = { list: async () => [], call: async () => ({ content: '', isError: true }) };
    const tools = [{ mcp: 'https://kb.example/mcp' }];
    for (const choice of ['required', { tool: 'search' }]) {
      const { outcome } = await runAgent(chosen(choice, { tools }), { mcp, model: turns() }, around);
      expect(outcome).toMatchObject({ error: { code: 'agent.no_tool' } });
    }
  });

  test.each([
    ['no tool has', { tool: 'refund' }, { tools: [look] }, 'one of look'],
    ['there are no tools for', 'required', {}, 'no `tool_choice`, because the agent has no tools'],
  ])('a name that %s is a mistake', (_what, tool_choice, some, detail) => {
    const work = { type: 'agent', instructions: 'x', tool_choice, ...some };
    expect(() => checkedFlow({ work }, { egress: ['api.example.com'] })).toThrow(detail);
  });
});
