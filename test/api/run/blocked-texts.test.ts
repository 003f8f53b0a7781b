// What guardrails block is seen by nobody: not while the model writes it, not afterwards, over the API and over A2A.
import { ListTasksRequest, Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { routes } from '#lib/routes/routes.ts';
import { agentUrls, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { buildUrl } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ModelScript, newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';

const secret = '0451-9981';
const pattern = '[0-9]{4}-[0-9]{4}';
const isSecret = `$contains(input.message, /${pattern}/)`;

/** A flow that checks texts, and quotes them where its own log would show it. */
const moderation = flow({
  start: 'quote',
  nodes: {
    quote: { type: 'transform', output: '{{ "checked: " & input.message }}', next: 'each' },
    each: {
      type: 'map',
      items: '{{ [input.message] }}',
      body: { start: 'again', nodes: { again: { type: 'transform', output: '{{ item }}' } } },
      next: 'say',
    },
    say: { type: 'end', output: { allowed: `{{ $not(${isSecret}) }}` } },
  },
});

/** A flow whose model quotes the text that it checks. */
const judge = (script: ModelScript) =>
  flow({
    models: scriptedModels,
    start: 'judge',
    nodes: {
      judge: { type: 'llm', prompt: `${script.prompt}: may we say this?`, next: 'say' },
      say: { type: 'end', output: { allowed: '{{ nodes.judge = "yes" }}' } },
    },
  });

const nodes = {
  llm: (prompt: string) => ({ type: 'llm', prompt, stream: true }),
  agent: (input: string) => ({ type: 'agent', instructions: 'Help.', input, stream: true }),
};

const guarded = (node: JsonObject) =>
  flow({
    models: scriptedModels,
    start: 'work',
    nodes: {
      work: { ...node, next: 'done' },
      done: { type: 'end', output: { answer: '{{ nodes.work }}' } },
    },
  });

/** All that a caller reads of a run over the API: its events as they come, and afterwards the run with its log. */
async function overApi(agent: TestAgent, write: () => Promise<void>, message: string): Promise<string> {
  const workflow_id = await startedRun(agent, message);
  const events = fetch(buildUrl(routes.followRun, { params: { workflow_id } }), {
    headers: { 'x-api-key': agent.key },
  });
  await write();
  const seen = await (await events).text();
  const run = await runState(agent, workflow_id);
  expect(run).toMatchObject({ status: 'failed', failure: { code: 'guardrail.blocked' } });
  expect(run.logs.length).toBeGreaterThan(2);
  return `${seen}${JSON.stringify(run)}`;
}

/** The same over A2A: the stream, the task with its history, and the list. What the caller itself has said does not count. */
async function overA2a(agent: TestAgent, write: () => Promise<void>, message: string): Promise<string> {
  const client = await officialClient(agentUrls(agent).agent, agent.key);
  const streaming = streamed(client, message);
  await write();
  const { id, updates } = await streaming;
  const tasks = [await client.getTask({ id, tenant: '', historyLength: 100 })];
  const listed = await client.listTasks(
    ListTasksRequest.fromJSON({ includeArtifacts: true, historyLength: 100 }),
  );
  expect(listed.tasks.map((task) => task.id)).toContain(id);
  expect(JSON.stringify(tasks)).toContain('guardrail.blocked');
  return [
    ...updates,
    ...[...tasks, ...listed.tasks].map((task) => JSON.stringify(withoutCaller(task))),
  ].join();
}

async function streamed(client: Client, message: string) {
  const updates: string[] = [];
  let id = '';
  for await (const { payload } of client.sendMessageStream(sending(message))) {
    const isTask = payload?.$case === 'task';
    if (isTask) id = payload.value.id;
    updates.push(JSON.stringify(isTask ? withoutCaller(payload.value) : payload));
  }
  return { id, updates };
}

function withoutCaller(task: Task): unknown {
  const { history, ...rest } = JSON.parse(JSON.stringify(Task.toJSON(task)));
  return { ...rest, history: history?.filter(({ role }: { role: string }) => role !== 'ROLE_USER') };
}

const doors = [
  ['the API', overApi],
  ['A2A', overA2a],
] as const;
const kinds = [
  ['an llm', nodes.llm],
  ['an agent', nodes.agent],
] as const;

async function moderated(caller: TestCaller, check: object): Promise<string> {
  const flowid = unique('moderation');
  await liveAgent({ flow: check, flowid }, caller);
  return flowid;
}

describe.each(doors)('over %s', (_door, read) => {
  describe.each(kinds)('%s', (_kind, node) => {
    test('streams and shows nothing of an answer that a pattern blocks', async () => {
      const script = newModelScript();
      const agent = await liveAgent({
        flow: guarded({ ...node(script.prompt), guardrails: { output: [{ pattern }] } }),
      });
      const seen = await read(agent, () => writeSecret(script), 'x');
      expect(seen).toContain('guardrails.output[0] blocked the output');
      expect(seen).not.toContain(secret);
      expect(seen).not.toContain('launch');
    });

    test('streams and shows nothing of an answer that a flow blocks, nor of what that flow quotes', async () => {
      const script = newModelScript();
      const caller = await newCaller();
      const flowid = await moderated(caller, moderation);
      const agent = await liveAgent(
        { flow: guarded({ ...node(script.prompt), guardrails: { output: [{ flow: flowid }] } }) },
        caller,
      );
      const seen = await read(agent, () => writeSecret(script), 'x');
      expect(seen).toContain('guardrails.output[0] blocked the output');
      expect(seen).not.toContain(secret);
      expect(seen).not.toContain('launch');
    });

    test('shows nothing of an input that a pattern or a flow blocks', async () => {
      const caller = await newCaller();
      const flowid = await moderated(caller, moderation);
      for (const check of [{ pattern }, { flow: flowid }]) {
        const input = node('Say {{ input.message }}.');
        const agent = await liveAgent(
          { flow: guarded({ ...input, guardrails: { input: [check] } }) },
          caller,
        );
        const seen = await read(agent, async () => undefined, `the code ${secret}`);
        expect(seen).toContain('guardrails.input[0] blocked the input');
        expect(seen).not.toContain(secret);
      }
    });
  });

  test('nobody sees what the model of a check writes', async () => {
    const [script, verdict] = [newModelScript(), newModelScript()];
    const caller = await newCaller();
    const flowid = await moderated(caller, judge(verdict));
    const agent = await liveAgent(
      { flow: guarded({ ...nodes.llm(script.prompt), guardrails: { output: [{ flow: flowid }] } }) },
      caller,
    );
    const write = async () => {
      await writeSecret(script);
      await verdict.answer(`no: it says ${secret}`);
    };
    const seen = await read(agent, write, 'x');
    expect(seen).toContain('guardrails.output[0] blocked the output');
    expect(seen).not.toContain(secret);
  });
});

async function writeSecret(script: ModelScript): Promise<void> {
  await script.say('The launch code ');
  await script.say(`is ${secret}.`);
  await script.end();
}
