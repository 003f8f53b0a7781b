// The worker in this process, as tests call it with messages of their own.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { handler } from '#functions/run/run-queued.ts';
import { requestLog } from '#lib/log.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { unique } from './caller.ts';
import { call } from './client.ts';
import { callingFlow, liveAgent, type TestAgent } from './flows.ts';
import { context } from './invocation.ts';
import { batch, webhookMessage } from './runs.ts';
import type { Upstream } from './upstream.ts';

/** As the queue's mapping calls it. */
export const work = async (bodies: readonly string[], receiveCount = 1): Promise<SQSBatchResponse> =>
  await handler(
    sqsEvent.parse(batch(bodies, receiveCount)),
    workerContext.parse({ ...context, getRemainingTimeInMillis: () => 900_000 }),
  );
const sqsEvent = z.custom<SQSEvent>();
const workerContext = z.custom<Context>();
/** What the status endpoint says about a run. */
export const state = async (agent: TestAgent, workflow_id: string) =>
  (await call('getRun', { key: agent.key, params: { workspace_id: agent.workspaceid, workflow_id } })).body;
export const shift = (remainingMs: number) => ({ remainingMs: () => remainingMs, log: requestLog({}) });
export const longShift = shift(900_000);

/** A run that this process holds, at a node that does not end before `end`. */
export async function locked(upstream: Upstream) {
  const gate = unique('gate');
  const places = [`count/${unique('count')}`, `gate/${gate}`];
  const agent = await liveAgent({ flow: callingFlow(upstream, places) });
  const message = webhookMessage(agent);
  const working = runQueued(message, longShift);
  await upstream.arrived(gate);
  const end = () => {
    upstream.open(gate);
    return working;
  };
  return { agent, body: JSON.stringify(message), message, end };
}
