// What callers send to a run, encrypted in the runs table: who can decrypt it, that it is bound to its place,
// and that it fits.
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { decryptCallbackUrl, decryptInput, encryptEvent, withAnswers } from '#lib/run/run-encryption.ts';
import { insertRun, readRun } from '#lib/run/run-items.ts';
import { newRun } from '#lib/run/start.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';
import { deliver } from '#test/support/runs.ts';

const database = DynamoDBDocumentClient.from(new DynamoDBClient());
const setInput = async (runId: string, input: unknown) =>
  await database.send(
    new UpdateCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: { pk: `RUN#${runId}`, sk: 'HEAD' },
      UpdateExpression: 'SET #input = :input',
      ExpressionAttributeNames: { '#input': 'input' },
      ExpressionAttributeValues: { ':input': input },
    }),
  );

describe('the caller data of a run in the tables', () => {
  /** A run that nobody works on, with its input as the table has it. */
  async function queued(agent: TestAgent, text: string, some: object = {}) {
    const row = await readRow(agent.a2aregistryid);
    if (!row) throw new Error('The build of the agent is there.');
    const input = JSON.stringify({ message: text, user_variables: {}, ...some });
    const made = newRun({
      row,
      caller: agent,
      trigger: 'background',
      mode: 'queued',
      environment: 'live',
      input,
      now: Date.now(),
      limitMs: 60_000,
    });
    await insertRun(made);
    return made;
  }
  const execute = async ({ run_id, orgid, workspaceid }: StoredRun) => {
    await deliver(JSON.stringify({ kind: 'run', triggerId: run_id, orgid, workspaceid }));
    await idle();
  };
  const repeating = () =>
    liveAgent({ flow: flow({ nodes: { done: { type: 'end', output: { said: '{{ input.message }}' } } } }) });

  test('is decrypted by another process that executes the run', async () => {
    const agent = await repeating();
    const run = await queued(agent, 'Hello');
    await execute(run);
    expect(await runState(agent, run.run_id)).toMatchObject({
      status: 'completed',
      response: { said: 'Hello' },
    });
  });

  test('is read unencrypted from runs of an earlier version: input, answer and callback URL', async () => {
    const agent = await repeating();
    const run = await queued(agent, 'unused');
    await setInput(run.run_id, JSON.stringify({ message: 'of before', user_variables: {} }));
    await execute(run);
    expect((await runState(agent, run.run_id)).response).toEqual({ said: 'of before' });
    expect(await decryptCallbackUrl({ ...run, callback_url: 'https://receiver.example' })).toBe(
      'https://receiver.example',
    );
    const at = {
      generation: 1,
      at: run.created_at,
      status: 'working',
      answer: '{"id":"q","value":"yes"}',
    } as const;
    expect(await withAnswers(run, [at])).toEqual([at]);
  });

  test('does not decrypt in another run, in another workspace, or in another attribute', async () => {
    const agent = await repeating();
    const [one, other] = [await queued(agent, 'one'), await queued(agent, 'other')];
    const stored = await readRun(one.run_id);
    if (!stored) throw new Error('The run is stored.');
    expect(JSON.parse((await decryptInput(stored)) ?? '')).toMatchObject({ message: 'one' });
    const unreadable = { code: 'payload_unreadable' };
    await expect(decryptInput({ ...stored, run_id: other.run_id })).rejects.toMatchObject(unreadable);
    await expect(decryptInput({ ...stored, workspaceid: unique('ws') })).rejects.toMatchObject(unreadable);
    await expect(decryptInput({ ...stored, orgid: unique('org') })).rejects.toMatchObject(unreadable);
    await expect(decryptCallbackUrl({ ...stored, callback_url: stored.input })).rejects.toMatchObject(
      unreadable,
    );
  });

  test('does not decrypt as the answer to another question', async () => {
    const agent = await repeating();
    const run = await queued(agent, 'one');
    const event = { generation: 2, at: run.created_at, status: 'working', answer: '"yes"' } as const;
    const stored = await encryptEvent(run, event);
    expect(stored.answer).toBeInstanceOf(Uint8Array);
    expect(await withAnswers(run, [stored])).toEqual([event]);
    await expect(withAnswers(run, [{ ...stored, generation: 4 }])).rejects.toMatchObject({
      code: 'payload_unreadable',
    });
  });

  test('of a message does not decrypt as an answer, or in another event', async () => {
    const agent = await repeating();
    const run = await queued(agent, 'one');
    const message = JSON.stringify({ messageId: 'm-1', parts: [{ text: 'Rome' }] });
    const event = { generation: 2, at: run.created_at, status: 'working', message } as const;
    const stored = await encryptEvent(run, event);
    expect(Buffer.from(stored.message ?? '').includes('Rome')).toBe(false);
    expect(await withAnswers(run, [stored])).toEqual([event]);
    const { message: bytes, ...rest } = stored;
    for (const moved of [
      { ...stored, generation: 4 },
      { ...rest, answer: bytes },
    ])
      await expect(withAnswers(run, [moved])).rejects.toMatchObject({ code: 'payload_unreadable' });
  });

  test('fits into its item for the largest and least compressible input', async () => {
    const agent = await liveAgent({
      flow: flow({ start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Sure?' } } }),
    });
    const parts = {
      user_variables: { x: randomText(limits.userVariablesBytes - 10) },
      event: { event: 'x', data: randomText(155_000) },
    };
    const size = Buffer.byteLength(JSON.stringify({ message: '', ...parts }));
    const run = await queued(agent, randomText(limits.inputBytes - size), parts);
    const stored = await readRun(run.run_id);
    expect(stored && Buffer.byteLength((await decryptInput(stored)) ?? '')).toBe(limits.inputBytes);
    await execute(run);
    // It is written a second time with the snapshot, in one transaction.
    expect((await runState(agent, run.run_id)).status).toBe('input_required');
  });
});

/** ASCII, so that a character is a byte of JSON; no text is harder to compress. */
const randomText = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, bytes);
