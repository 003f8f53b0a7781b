// Agents whose runs are exported to a receiver of the test.
import type { JsonObject } from '#lib/json/json.ts';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';
import { idle } from './control.ts';
import { liveAgent, type TestAgent } from './flows.ts';
import type { OtlpReceiver } from './otlp-receiver.ts';
import { setting } from './triggers.ts';

export const withSink = async (
  agent: TestAgent,
  { endpoint }: Pick<OtlpReceiver, 'endpoint'>,
  some: JsonObject = {},
  others: JsonObject = {},
) => await setting(agent, 'live', { telemetry: { endpoint, ...some }, ...others });

export async function exportedAgent(
  receiver: Pick<OtlpReceiver, 'endpoint'>,
  options: Parameters<typeof liveAgent>[0] = {},
): Promise<TestAgent> {
  const agent = await liveAgent(options);
  await withSink(agent, receiver);
  return agent;
}

/** Runs the flow of an agent, and waits until its run is exported, or is not. */
export async function runAgent(agent: TestAgent, message = 'Hello') {
  const { flowid, workspaceid, key } = agent;
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  const { body } = await call('triggerFlow', { key, params, body: { message } });
  await idle();
  return body;
}

export const readSettings = async (
  { key, workspaceid }: TestCaller,
  headers: Readonly<Record<string, string>> = {},
) => await call('getEnvironment', { key, params: { environment: 'live' }, query: { workspaceid }, headers });
