// Guardrails of agents: the first message, the answer however the agent ends, and what tools say to the caller and hear
// from it.
import { expect, test } from 'vitest';
import type { TextPiece } from '#lib/flow/engine/output.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  createFlowPort,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  runAgent,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const code = '[0-9]{4}';
const redacting = (side: string): JsonObject => ({ [side]: [{ pattern: code, action: 'redact' }] });
const blocking = (side: string): JsonObject => ({ [side]: [{ pattern: code }] });
const blocked = (side: string) => ({
  status: 'failed',
  error: { code: 'guardrail.blocked', message: `guardrails.${side}[0] blocked the ${side}.` },
});

test('the first message is checked before the model sees it', async () => {
  const input = 'My number is 1234.';
  const { prompts, outcome } = await runAgent(
    { input, guardrails: redacting('input') },
    { model: turns(says('Hi')) },
  );
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Hi' });
  expect(prompts[0]?.messages).toEqual([{ role: 'user', content: 'My number is [redacted].' }]);
  const other = await runAgent({ input, guardrails: blocking('input') }, { model: turns() });
  expect(other.outcome).toMatchObject(blocked('input'));
});

test('the answer is checked after the turns, and nothing of it gets out before', async () => {
  const received: TextPiece[] = [];
  const answers = [wants(['say', { text: 'Looking.' }]), says('It is 1234.')];
  const model = (_request: ModelRequest, { onText }: NodeCall) => {
    onText?.('It is 1234.');
    return answers.shift() ?? says('');
  };
  const { outcome, entries, snapshots } = await runAgent(
    { tools: [{ say: {} }], stream: true, guardrails: blocking('output') },
    { model, text: (piece) => void received.push(piece) },
  );
  expect(outcome).toMatchObject(blocked('output'));
  expect(received).toEqual([]);
  expect(JSON.stringify([outcome, entries, snapshots])).not.toContain('1234');
});

test('the whole text is streamed when it has passed', async () => {
  const received: TextPiece[] = [];
  await runAgent(
    { stream: true, guardrails: redacting('output') },
    { model: turns(says('It is 1234.')), text: (piece) => void received.push(piece) },
  );
  expect(received.map(({ text }) => text)).toEqual(['It is [redacted].']);
});

test('the result of a tool that ends the agent is checked, and the log does not quote it', async () => {
  const { port } = createFlowPort({
    inner: checkedFlow({ end: { type: 'end', output: { pin: '{{ "12" & "34" }}' } } }),
  });
  const tools = [{ flow: 'inner', name: 'inner', description: 'Ends.', ends: true }];
  const script = { model: turns(wants(['inner', { message: 'x' }])), flows: port };
  const { outcome, entries } = await runAgent({ tools, guardrails: blocking('output') }, script);
  expect(outcome).toMatchObject(blocked('output'));
  const tool = entries.find(({ event }) => event === 'tool');
  expect(tool?.message).toBe('inner completed');
});

test('what is said to the caller and captured is checked; the model receives the error', async () => {
  const capture = { fact: { description: 'A fact.', schema: { type: 'string' } } };
  const { outcome, replies, prompts } = await runAgent(
    { tools: [{ say: {} }], capture, guardrails: blocking('output') },
    { model: turns(wants(['say', { text: 'It is 1234.' }], ['capture', { fact: '1234' }]), says('Done.')) },
  );
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Done.', captured: {} });
  expect(replies).toEqual([]);
  const error = 'Error: guardrail.blocked: guardrails.output[0] blocked the output.';
  expect(reportedResults(prompts)).toEqual([error, error]);
});

test('what is replaced in it is said and kept as it is left', async () => {
  const capture = { fact: { description: 'A fact.', schema: { type: 'string' } } };
  const { outcome, replies } = await runAgent(
    { tools: [{ say: {} }], capture, guardrails: redacting('output') },
    { model: turns(wants(['say', { text: 'It is 1234.' }], ['capture', { fact: '1234' }]), says('Done.')) },
  );
  expect(readAgentOutput(outcome)).toMatchObject({ captured: { fact: '[redacted]' } });
  expect(replies).toMatchObject([{ text: 'It is [redacted].' }]);
});

test('questions and answers of ask_user are checked', async () => {
  const guardrails = { ...redacting('input'), ...redacting('output') };
  const flow = agentFlow({ tools: [{ ask_user: {} }], guardrails });
  const asks = wants(['ask_user', { question: 'Is it 1234?', choices: ['1234', 'no'] }]);
  const paused = await run(flow, scripted({ model: turns(asks) }), question);
  expect(paused).toMatchObject({
    status: 'input_required',
    requests: [{ prompt: 'Is it [redacted]?', choices: ['[redacted]', 'no'] }],
  });
  const open = agentFlow({ tools: [{ ask_user: {} }], guardrails });
  const asked = await run(
    open,
    scripted({ model: turns(wants(['ask_user', { question: 'Which?' }])) }),
    question,
  );
  const { prompts } = await resumed(
    open,
    asked,
    { model: turns(says('Thanks.')) },
    { answer: { value: 'it is 9876' } },
  );
  expect(reportedResults(prompts)).toEqual(['it is [redacted]']);
});

test('a flow that checks the answer may ask a person; the model is not asked again', async () => {
  const { port } = createFlowPort({
    moderation: checkedFlow({
      ask: { type: 'ask', prompt: 'Let it pass?', choices: ['yes', 'no'], next: 'end' },
      end: { type: 'end', output: { allowed: '{{ nodes.ask = "yes" }}' } },
    }),
  });
  const flow = agentFlow({ guardrails: { output: [{ flow: 'moderation' }] } });
  const paused = await run(flow, scripted({ model: turns(says('Hello.')), flows: port }), question);
  expect(paused).toMatchObject({ status: 'input_required', requests: [{ prompt: 'Let it pass?' }] });
  const after = (value: string) =>
    resumed(flow, paused, { model: turns(), flows: port }, { answer: { value } });
  expect(readAgentOutput((await after('yes')).outcome)).toMatchObject({ text: 'Hello.', turns: 1 });
  expect((await after('no')).outcome).toMatchObject(blocked('output'));
});
