// The worker in this process, as tests call it with messages of their own.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { handler } from '#functions/run/run-queued.ts';
import { requestLog } from '#lib/log.ts';
import { call } from './client.ts';
import type { TestAgent } from './flows.ts';
import { context } from './invocation.ts';
import { batch } from './runs.ts';

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
