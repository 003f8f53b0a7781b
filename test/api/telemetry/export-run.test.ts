// The export of finished runs, from a run to a receiver that checks what OTLP/HTTP prescribes.
import { beforeEach, describe, expect, test } from 'vitest';
import { computeSpanId } from '#lib/trace-context.ts';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, delegatingAgent, failingFlow, liveAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '#test/support/otlp-receiver.ts';
import { startRequestReceiver } from '#test/support/receiver.ts';
import { cancelRun, startRun } from '#test/support/run-calls.ts';
import { exportedAgent, runAgent, withSink } from '#test/support/telemetry.ts';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  return () => receiver.close();
});

const named = (name: string): ReceivedSpan[] => receiver.spans.filter((span) => span.name === name);

describe('a run that is over', () => {
  test('is exported with its nodes, as one tree whose ids follow from the run', async () => {
    const agent = await exportedAgent(receiver);
    const { workflow_id } = await runAgent(agent);
    const [root, node] = receiver.spans;
    expect(receiver.spans).toHaveLength(2);
    const traceId = workflow_id.replaceAll('-', '');
    expect(root).toMatchObject({
      traceId,
      spanId: computeSpanId(workflow_id),
      name: `invoke_workflow ${agent.flowid}`,
      kind: 2,
      status: {},
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': agent.flowid,
        'gen_ai.agent.version': '1',
        'agent_flow.run_id': workflow_id,
        'agent_flow.registry_id': agent.a2aregistryid,
        'agent_flow.trigger': 'api',
        'agent_flow.status': 'completed',
      },
    });
    expect(root).not.toHaveProperty('parentSpanId');
    expect(node).toMatchObject({ traceId, parentSpanId: root?.spanId, kind: 1 });
    expect(Number(root?.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(node?.endTimeUnixNano));
    expect(receiver.resources).toEqual([
      {
        'service.name': 'agent-flow-service',
        'deployment.environment.name': 'live',
        'agent_flow.orgid': agent.orgid,
        'agent_flow.workspaceid': agent.workspaceid,
      },
    ]);
  });

  test('is exported in the background, in the trace of its request', async () => {
    const agent = await exportedAgent(receiver);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
    await startRun(agent, 'Hello', { traceparent });
    await idle();
    expect(receiver.spans[0]).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      kind: 5,
    });
  });

  test('that has failed has the code of its error, and not its message', async () => {
    const agent = await exportedAgent(receiver, { flow: failingFlow() });
    await runAgent(agent, 'tea');
    const [root, node] = receiver.spans;
    for (const span of [root, node]) {
      expect(span?.status).toEqual({ code: 2, message: span?.attributes['error.type'] });
      expect(span?.attributes).toMatchObject({ 'agent_flow.status': 'failed' });
    }
    expect(receiver.bodies.join()).not.toContain('tea');
  });

  test('that was canceled is exported too', async () => {
    const agent = await exportedAgent(receiver, { flow: askingFlow() });
    const { body } = await startRun(agent);
    await idle();
    expect(receiver.spans).toEqual([]);
    await cancelRun(agent, body.workflow_id);
    await idle();
    expect(receiver.spans[0]?.attributes).toMatchObject({ 'agent_flow.status': 'canceled' });
  });

  test('has a span for each attempt, with the same ids as the requests carry', async () => {
    const upstream = await startRequestReceiver();
    const { host } = new URL(upstream.url);
    upstream.answers.push(503, 503);
    const retry = { max_attempts: 2, delay_ms: 1, on: ['http.503'] };
    const nodes = {
      get: { type: 'http', url: upstream.url, retry, next: 'done' },
      done: { type: 'end', output: { done: true } },
    };
    const agent = await exportedAgent(receiver, { flow: flow({ egress: [host], start: 'get', nodes }) });
    await runAgent(agent);
    const sent = upstream.received.map(({ headers }) => String(headers.traceparent).split('-')[2]);
    await upstream.close();
    const attempts = receiver.spans.filter(({ name }) => name.startsWith('attempt '));
    expect(attempts.map(({ spanId }) => spanId)).toEqual(sent);
    const [execution] = named('http get');
    expect(
      attempts.map(({ parentSpanId, kind, status, attributes }) => [
        parentSpanId,
        kind,
        status.code,
        attributes['agent_flow.attempt'],
        attributes['error.type'],
      ]),
    ).toEqual([
      [execution?.spanId, 3, 2, 1, 'http.503'],
      [execution?.spanId, 3, 2, 2, 'http.503'],
    ]);
  });

  test('has spans of an agent, its models with their tokens, and its tools', async () => {
    const upstream = await startRequestReceiver();
    const { host } = new URL(upstream.url);
    const parameters = { type: 'object', properties: {} };
    const tool = { name: 'look', description: 'Looks.', http: { url: upstream.url }, parameters };
    const nodes = {
      work: { type: 'agent', instructions: 'Help.', tools: [tool], next: 'done' },
      done: { type: 'end', output: { text: '{{ nodes.work.text }}' } },
    };
    const models = scriptedModels;
    const agent = await exportedAgent(receiver, {
      flow: flow({ models, egress: [host], start: 'work', nodes }),
    });
    const script = newModelScript();
    const running = runAgent(agent, script.prompt);
    await script.callTool('look', {}, 1);
    await script.answer('Fine.', 2);
    const { workflow_id } = await running;
    await upstream.close();
    const [work] = named('invoke_agent work');
    const [attempt] = named('attempt 1 of work');
    const [chat, second] = named('chat scripted');
    expect(second?.parentSpanId).toBe(attempt?.spanId);
    expect(named('execute_tool look')[0]).toMatchObject({
      parentSpanId: attempt?.spanId,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look' },
      status: {},
    });
    expect(upstream.received[0]?.headers.traceparent).toContain(attempt?.spanId);
    expect(work).toMatchObject({
      parentSpanId: computeSpanId(workflow_id),
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'work' },
    });
    expect(attempt?.parentSpanId).toBe(work?.spanId);
    expect(chat).toMatchObject({
      parentSpanId: attempt?.spanId,
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'scripted',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
      },
    });
    expect(Number(chat?.startTimeUnixNano)).toBeGreaterThanOrEqual(Number(work?.startTimeUnixNano));
    expect(Number(chat?.endTimeUnixNano)).toBeLessThanOrEqual(Number(work?.endTimeUnixNano));
    expect(receiver.bodies.join()).not.toContain(script.prompt);
    expect(receiver.bodies.join()).not.toContain('Fine.');
  });
});

describe('content', () => {
  const echoing = flow({
    start: 'make',
    nodes: {
      make: {
        type: 'transform',
        output: { text: 'Hello {{ input.message }}', password: 'hunter2-hunter2' },
        next: 'done',
      },
      done: { type: 'end', output: { text: '{{ nodes.make.text }}' } },
    },
  });

  test.each([
    ['off', { content: 'off' }, { keep_values: 'all' }, false],
    ['full, but no values are kept', { content: 'full' }, { keep_values: 'off' }, false],
    ['full, and values are kept', { content: 'full' }, { keep_values: 'all' }, true],
  ])('%s', async (_, sink, settings, isSent) => {
    const agent = await liveAgent({ flow: echoing });
    await withSink(agent, receiver, sink, settings);
    await runAgent(agent, 'tea');
    const [make] = named('transform make');
    expect('output.value' in (make?.attributes ?? {})).toBe(isSent);
    expect(receiver.bodies.join().includes('Hello tea')).toBe(isSent);
    expect(receiver.bodies.join()).not.toContain('hunter2-hunter2');
  });

  test('of a run that another organisation has started is not sent', async () => {
    const agent = await liveAgent({ flow: echoing, visibility: 'public' });
    await withSink(agent, receiver, { content: 'full' }, { keep_values: 'all' });
    const stranger = await newCaller();
    const params = { message: newMessage('tea') };
    await rpc(agentUrls(agent).live, stranger.key, 'SendMessage', params);
    await idle();
    expect(named('transform make')).toHaveLength(1);
    expect(receiver.bodies.join()).not.toContain('tea');
    expect(receiver.bodies.join()).not.toContain(stranger.orgid);
  });
});

test('an agent, the agent that it calls and its nodes are one tree, though each run is exported by itself', async () => {
  const caller = await newCaller();
  const inner = await liveAgent({}, caller);
  const outer = await delegatingAgent(inner, caller);
  await withSink(outer, receiver);
  await runAgent(outer);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(receiver.bodies).toHaveLength(2);
  const [attempt] = named('attempt 1 of delegate');
  expect(attempt?.kind).toBe(3);
  expect(named(`invoke_workflow ${inner.flowid}`)[0]?.parentSpanId).toBe(attempt?.spanId);
  const ids = new Set(receiver.spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(receiver.spans.length);
  const parents = receiver.spans.flatMap(({ parentSpanId }) => parentSpanId ?? []);
  expect(parents.filter((id) => !ids.has(id))).toEqual([]);
});
