import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { readLetter } from '#lib/run/dead-letter-items.ts';
import { insertRun } from '#lib/run/run-items.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow } from '#test/support/flows.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** An event that came before its flow had a live build. */
async function early(caller: TestCaller, flowid: string): Promise<string> {
  const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
  await deliver(JSON.stringify(message));
  await idle();
  return message.triggerId;
}
const redrive = (caller: TestCaller, id: string) =>
  call('redriveDeadLetter', {
    key: caller.key,
    params: { id },
    query: { workspaceid: caller.workspaceid },
  });
const letters = async (caller: TestCaller) =>
  (await call('listDeadLetters', { key: caller.key, query: { workspaceid: caller.workspaceid } })).body.items;
const readStatus = async ({ key, workspaceid }: TestCaller, workflow_id: string) =>
  (await call('getRun', { key, params: { workspace_id: workspaceid, workflow_id } })).body.status;

describe('202', () => {
  test('the event runs after its cause is fixed, and another redrive has no second effect', async () => {
    const caller = await newCaller();
    const [flowid, name] = [unique('flow'), unique('count')];
    const id = await early(caller, flowid);
    await promoted(caller, await newRow(caller, { flowid, flow: callingFlow(upstream, [`count/${name}`]) }));
    const { body } = await redrive(caller, id);
    expect(body).toMatchObject({ id, redriven_at: expect.any(String) });
    await idle();
    const again = await Promise.all([redrive(caller, id), redrive(caller, id)]);
    expect(again.map(({ problem }) => problem.code)).toEqual(['run_over', 'run_over']);
    await idle();
    expect(await readStatus(caller, id)).toBe('completed');
    expect(upstream.calls(name)).toBe(1);
    expect(await letters(caller)).toEqual([]);
  });

  test('of two events under one name the first is kept and run, even if both are dead letters', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const nodes = { done: { type: 'end', output: { data: '{{ input.event.data }}' } } };
    const build = await newRow(caller, { flowid, flow: flow({ nodes }) });
    const { trigger_id } = await newTrigger({ ...caller, flowid }, { kind: 'webhook' });
    const [key, name] = [caller.key, unique('event')];
    const send = async (n: number) => {
      const body = { event: 'order', data: { n } };
      const headers = { 'idempotency-key': name };
      const { triggerId } = (
        await call('acceptWebhook', { key, params: { flow_id: trigger_id }, body, headers })
      ).body;
      await idle();
      return triggerId;
    };
    const id = await send(1);
    expect(await send(2)).toBe(id);
    expect(await letters(caller)).toMatchObject([
      { id, attempts: 2, preview: expect.stringContaining('"n":1') },
    ]);
    await promoted(caller, build);
    await redrive(caller, id);
    await idle();
    const params = { workspace_id: caller.workspaceid, workflow_id: id };
    expect((await call('getRun', { key, params })).body.response).toEqual({ data: { n: 1 } });
  });

  test('an event that still cannot be run becomes a dead letter again', async () => {
    const caller = await newCaller();
    const id = await early(caller, unique('flow'));
    await redrive(caller, id);
    await idle();
    const [letter] = await letters(caller);
    expect(letter).toMatchObject({ id, attempts: 2 });
    expect(letter).not.toHaveProperty('redriven_at');
  });
});

describe('409', () => {
  test('a letter whose run has ended is refused and not put back into the queue', async () => {
    const caller = await newCaller();
    const id = await early(caller, unique('flow'));
    const { orgid, workspaceid } = caller;
    await insertRun(run({ run_id: id, orgid, workspaceid, status: 'working', mode: 'queued', ttl: 2e9 }));
    const { problem } = await redrive(caller, id);
    expect(problem).toMatchObject({ code: 'run_over', detail: expect.stringContaining('is failed') });
    expect(await readLetter(caller, id)).not.toHaveProperty('redriven_at');
    expect(await readStatus(caller, id)).toBe('failed');
  });
});

describe('404', () => {
  test('a missing letter and one of another organisation give the same error', async () => {
    const [own, other] = [await newCaller(), await newCaller()];
    const id = await early(other, unique('flow'));
    const foreign = await redrive({ ...own, workspaceid: other.workspaceid }, id);
    const missing = await redrive(own, newRunId());
    for (const { problem } of [foreign, missing]) expect(problem.code).toBe('dead_letter_not_found');
  });
});
