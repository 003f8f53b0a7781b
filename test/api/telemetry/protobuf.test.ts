// Sinks that take Protocol Buffers only, as Phoenix does: what they get, and what their answers lead to.
import { beforeEach, describe, expect, test } from 'vitest';
import { liveAgent } from '#test/support/flows.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';
import { readSettings, runAgent, withSink } from '#test/support/telemetry.ts';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver('protobuf');
  return () => receiver.close();
});

async function exportedInProtobuf() {
  const agent = await liveAgent();
  await withSink(agent, receiver, { encoding: 'protobuf' });
  return agent;
}

describe('a sink of Protocol Buffers', () => {
  test('gets the spans of a run', async () => {
    const agent = await exportedInProtobuf();
    const { workflow_id } = await runAgent(agent);
    expect(receiver.headers[0]?.['content-type']).toBe('application/x-protobuf');
    const [root, node] = receiver.spans;
    expect(receiver.spans).toHaveLength(2);
    expect(root).toMatchObject({
      traceId: workflow_id.replaceAll('-', ''),
      name: `invoke_workflow ${agent.flowid}`,
      attributes: { 'agent_flow.run_id': workflow_id },
    });
    expect(node?.parentSpanId).toBe(root?.spanId);
    expect(receiver.resources[0]).toMatchObject({ 'agent_flow.orgid': agent.orgid });
    expect((await readSettings(agent)).body).toMatchObject({
      telemetry: { encoding: 'protobuf' },
      telemetry_state: { dropped_runs: 0, last_exported_at: expect.any(String) },
    });
  });

  test('refuses a part of the spans in Protocol Buffers', async () => {
    const agent = await exportedInProtobuf();
    const partialSuccess = { rejectedSpans: '1', errorMessage: 'too\nold' };
    receiver.answers.push({ status: 200, body: JSON.stringify({ partialSuccess }) });
    await runAgent(agent);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      rejected_spans: 1,
      last_error: { reason: 'partial_success', detail: 'too old' },
    });
  });

  test('says why it refuses a request', async () => {
    const agent = await exportedInProtobuf();
    receiver.answers.push({ status: 400, body: JSON.stringify({ code: 3, message: 'no such project' }) });
    await runAgent(agent);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      dropped_runs: 1,
      last_error: { reason: '400', detail: 'no such project' },
    });
  });
});

test('a sink of Protocol Buffers refuses JSON, which is the default', async () => {
  const agent = await liveAgent();
  await withSink(agent, receiver);
  await runAgent(agent);
  expect((await readSettings(agent)).body.telemetry_state).toMatchObject({ last_error: { reason: '415' } });
});
