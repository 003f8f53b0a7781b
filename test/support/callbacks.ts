// Runs that somebody wants to hear of, started in the test's own process and carried out by the host.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { endRun } from '#lib/run/end.ts';
import { readRun } from '#lib/run/run-items.ts';
import { startQueued } from '#lib/run/start.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';
import { flushDelayedDeliveries, idle } from './control.ts';
import type { TestAgent } from './flows.ts';

const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export async function startWithCallback(agent: TestAgent, callbackUrl: string): Promise<StoredRun> {
  const row = await readRow(agent.a2aregistryid);
  if (!row) throw new Error('The build of the agent is gone.');
  const keepInput = JSON.stringify({ message: 'Hello', user_variables: {} });
  return await startQueued({
    row,
    caller: agent,
    trigger: 'api',
    environment: 'live',
    keepInput,
    callbackUrl,
  });
}

export async function cancel(run: StoredRun): Promise<void> {
  const current = await readRun(run.run_id);
  if (current) await endRun(current, { status: 'canceled' });
}

export async function newCallbackSecret({ key, workspaceid }: TestCaller): Promise<string> {
  const { body } = await call('setCallbackSecret', { key, query: { workspaceid }, body: {} });
  return body.secret ?? '';
}

type Named = Pick<StoredRun, 'run_id'>;

export const listDeliveries = async ({ key, workspaceid }: TestCaller, { run_id }: Named) =>
  (await call('listDeliveries', { key, params: { workflow_id: run_id }, query: { workspaceid } })).body;

/** As if the clock had passed the time that an attempt may take. */
export async function expireClaim({ run_id }: Named): Promise<void> {
  await table
    .send(
      new UpdateCommand({
        TableName: requireEnv('RUNS_TABLE'),
        Key: { pk: `RUN#${run_id}`, sk: 'CALLBACK' },
        UpdateExpression: 'SET busy_until = :past',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':past': 0 },
      }),
    )
    .catch(() => undefined);
}

/** More than the schedule has turns: ten hours are forty delays of a quarter of an hour. */
const turnsMax = 150;

/** As if time passed, until there is nothing to wait for. */
export async function settled(agent: TestAgent, run: Named) {
  await idle();
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const deliveries = await listDeliveries(agent, run);
    if (deliveries.state !== 'waiting') return deliveries;
    await flushDelayedDeliveries();
  }
  throw new Error('The callback is neither delivered nor given up.');
}
