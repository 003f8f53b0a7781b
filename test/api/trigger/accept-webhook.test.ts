import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueApiKey } from '#lib/access/api-key.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { deliver, runWrites, webhookMessage } from '#test/support/runs.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const accept = (
  agent: Pick<TestAgent, 'key' | 'flowid'>,
  body: unknown = { event: 'ticket.closed' },
  headers: Readonly<Record<string, string>> = {},
) => call('acceptWebhook', { key: agent.key, params: { flow_id: agent.flowid }, body, headers });
const state = async (agent: TestAgent, workflow_id: string) =>
  (await call('getRun', { key: agent.key, params: { workspace_id: agent.workspaceid, workflow_id } })).body;

describe('202', () => {
  test('returns {status, triggerId}, and the run of that id receives the event', async () => {
    const nodes = {
      done: { type: 'end', output: { name: '{{ input.event.event }}', data: '{{ input.event.data }}' } },
    };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const { text } = await accept(agent, { event: 'ticket.closed', data: { id: 7 } });
    const { triggerId, ...rest } = JSON.parse(text);
    expect(rest).toEqual({ status: 'accepted' });
    await idle();
    expect(await state(agent, triggerId)).toMatchObject({
      workflow_id: triggerId,
      status: 'completed',
      response: { name: 'ticket.closed', data: { id: 7 } },
    });
  });

  test('an event arrives as it was sent, even with characters that SQS does not allow', async () => {
    const nodes = { done: { type: 'end', output: { text: '{{ input.event.data.text }}' } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const text = 'Ünï 漢字 🎉 \uFFFE\uFFFF \u0001 \u{10FFFF}';
    const { triggerId } = (await accept(agent, { event: 'text', data: { text } })).body;
    await idle();
    expect(await state(agent, triggerId)).toMatchObject({ status: 'completed', response: { text } });
  });

  test('an accepted event runs once', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const { triggerId } = (await accept(agent)).body;
    await idle();
    expect((await state(agent, triggerId)).status).toBe('completed');
    expect(upstream.calls(name)).toBe(1);
  });

  test('a message that is delivered repeatedly, also concurrently, has no second effect', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const message = webhookMessage(agent);
    await Promise.all([1, 2, 3, 4].map(() => deliver(JSON.stringify(message))));
    await idle();
    const first = await state(agent, message.triggerId);
    const writes = await runWrites(message.triggerId);
    await deliver(JSON.stringify(message));
    await idle();
    expect(first.status).toBe('completed');
    expect(await state(agent, message.triggerId)).toEqual(first);
    expect(await runWrites(message.triggerId)).toEqual(writes);
    expect(upstream.calls(name)).toBe(1);
  });

  test('the data are optional, and can be any JSON', async () => {
    const agent = await liveAgent({
      flow: flow({ nodes: { done: { type: 'end', output: { d: '{{ input.event.data }}' } } } }),
    });
    const ids = await Promise.all(
      [
        { event: 'x' },
        { event: 'x', data: {} },
        { event: 'x', data: { toString: [null, { a: 'ä\u0000' }] } },
      ].map(async (body) => (await accept(agent, body)).body.triggerId),
    );
    await idle();
    const states = await Promise.all(ids.map((id) => state(agent, id)));
    expect(states.map(({ status, response }) => [status, response.d])).toEqual([
      ['completed', null],
      ['completed', {}],
      ['completed', { toString: [null, { a: 'ä\u0000' }] }],
    ]);
  });

  test('if several workspaces have the flow, a key for one of them starts that one', async () => {
    const first = await liveAgent();
    const elsewhere = await newCaller({ orgid: first.orgid, workspaces: [unique('ws')] });
    expect((await accept({ ...first, key: elsewhere.key })).problem.code).toBe('trigger_not_found');
    const row = await newRow(elsewhere, { flowid: first.flowid });
    await promoted(elsewhere, row);
    const { triggerId } = (await accept({ ...first, key: elsewhere.key })).body;
    await idle();
    expect((await state({ ...first, ...elsewhere }, triggerId)).status).toBe('completed');
  });
});

describe('202 for an event with a name', () => {
  const echo = flow({ nodes: { done: { type: 'end', output: { event: '{{ input.event.event }}' } } } });

  test.each(['idempotency-key', 'webhook-id'])(
    'by %s: sent again, also at the same time, it has the same triggerId and one effect',
    async (header) => {
      const name = unique('count');
      const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
      const headers = { [header]: unique('event') };
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await accept(agent, undefined, headers)).body),
      );
      await idle();
      ids.push((await accept(agent, undefined, headers)).body);
      await idle();
      expect(new Set(ids.map(({ triggerId }) => triggerId)).size).toBe(1);
      expect((await state(agent, ids[0]?.triggerId ?? '')).status).toBe('completed');
      expect(upstream.calls(name)).toBe(1);
    },
  );

  test('an event that is sent again once its run exists has the same triggerId, whatever the order of its members', async () => {
    const agent = await liveAgent({ flow: echo });
    const headers = { 'idempotency-key': unique('event') };
    const texts = [
      '{"event":"x","data":{"n":[-0,1e20,1.0],"é":"\\ufffe🎉","b":{"toJSON":1,"2":{"a":2}},"a":null}}',
      '{ "data":{"a":null,"b":{"2":{"a":2},"toJSON":1},"é":"\\ufffe🎉","n":[0,1E20,1]}, "event":"x" }',
    ];
    const ids: string[] = [];
    for (const text of [...texts, ...texts]) {
      const params = { flow_id: agent.flowid };
      const { status, body } = await call('acceptWebhook', { key: agent.key, params, text, headers });
      expect(status).toBe(202);
      ids.push(body.triggerId);
      await idle();
    }
    expect(new Set(ids).size).toBe(1);
    expect((await state(agent, ids[0] ?? '')).status).toBe('completed');
  });

  test('names are separate for each flow, declared trigger and organisation', async () => {
    const agent = await liveAgent({ flow: echo });
    const headers = { 'idempotency-key': unique('event') };
    const neighbour = await newCaller();
    await promoted(neighbour, await newRow(neighbour, { flowid: agent.flowid, flow: echo }));
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook' });
    const others = [
      agent,
      await liveAgent({ flow: echo }, agent),
      { ...neighbour, flowid: agent.flowid },
      { ...agent, flowid: trigger_id },
    ];
    const ids: string[] = [];
    for (const [n, other] of others.entries()) {
      const { status, body } = await accept(other, { event: `event-${n}` }, headers);
      expect(status).toBe(202);
      ids.push(body.triggerId);
      await idle();
    }
    expect(new Set(ids).size).toBe(others.length);
  });

  test('of two events that are accepted under one name before it has a run, one runs and the other has no effect', async () => {
    const nodes = { done: { type: 'end', output: { event: '{{ input.event.event }}' } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const message = webhookMessage(agent);
    const events = ['one', 'other'].map((event) => JSON.stringify({ ...message, event: { event } }));
    await Promise.all(events.map(deliver));
    await idle();
    const before = await state(agent, message.triggerId);
    expect(before.status).toBe('completed');
    await Promise.all(events.map(deliver));
    await idle();
    expect(await state(agent, message.triggerId)).toEqual(before);
  });

  test('names are separate for each flow, and Idempotency-Key takes precedence over webhook-id', async () => {
    const [one, two] = [await liveAgent(), await liveAgent()];
    const names = { 'idempotency-key': unique('event'), 'webhook-id': unique('event') };
    const acceptNamed = async (agent: TestAgent, headers: Record<string, string>) =>
      (await accept(agent, undefined, headers)).body.triggerId;
    const first = await acceptNamed(one, names);
    expect(await acceptNamed(one, { ...names, 'webhook-id': unique('event') })).toBe(first);
    expect(await acceptNamed(one, { ...names, 'idempotency-key': '' })).not.toBe(first);
    expect(await acceptNamed(two, names)).not.toBe(first);
  });
});

/** In the form in which the documentation of GitHub and Stripe shows what they send. */
const github = {
  action: 'opened',
  number: 2,
  pull_request: { id: 279147437, number: 2, title: 'Update the README', draft: false, merged_at: null },
  repository: { id: 186853002, full_name: 'acme/hello-world', private: false },
  sender: { login: 'octocat', id: 21031067, type: 'User' },
};
const stripe = {
  id: 'evt_1MqqbKLt4dXK03v5qaIbiNCC',
  object: 'event',
  api_version: '2024-06-20',
  created: 1680064028,
  data: { object: { id: 'in_1MqqbK', object: 'invoice', amount_paid: 1000, metadata: { order_id: '1042' } } },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type: 'invoice.paid',
};

describe('202 for a body of another form', () => {
  test.each([
    ['GitHub', github],
    ['Stripe', stripe],
    ['an event with further members', { event: 'order.paid', data: 'text', at: 7 }],
    ['a list', [1, { a: [] }]],
    ['a text', 'hello'],
    ['the number 0', 0],
    ['false', false],
    ['null', null],
  ])('%s: the flow gets the body as it was sent', async (_, body) => {
    const agent = await liveAgent({
      flow: flow({ nodes: { done: { type: 'end', output: { event: '{{ input.event }}' } } } }),
    });
    const { status, body: receipt } = await accept(agent, body);
    expect(status).toBe(202);
    await idle();
    expect(await state(agent, receipt.triggerId)).toMatchObject({
      status: 'completed',
      response: { event: body },
    });
  });
});

describe('400', () => {
  test.each(['idempotency-key', 'webhook-id'])('a name in %s that is too long', async (header) => {
    const { problem } = await accept(await liveAgent(), undefined, { [header]: 'x'.repeat(256) });
    expect(problem.errors?.map((each) => each.pointer)).toEqual([`/headers/${header}`]);
  });

  test.each([
    [{}, '/body/event'],
    [{ event: '' }, '/body/event'],
    [{ event: 7 }, '/body/event'],
    [{ event: 'x'.repeat(257) }, '/body/event'],
    [{ event: 'x', data: 'text' }, '/body/data'],
    [{ event: 'x', data: [] }, '/body/data'],
    [{ data: { id: 7 } }, '/body/event'],
  ])('a body of %j is refused with the pointer to the mistake', async (body, pointer) => {
    const { status, problem } = await accept(await liveAgent(), body);
    expect(status).toBe(400);
    expect(problem.errors?.map((each) => each.pointer)).toEqual([pointer]);
  });
});

describe('413', () => {
  test('a body that is too large, and one whose numbers are too large in normalized form', async () => {
    const agent = await liveAgent();
    const numbers = `{"event":"x","data":{"n":[${Array(50_000).fill('1e20').join()}]}}`;
    const words = JSON.stringify({ event: 'x', data: { text: 'x'.repeat(256_000) } });
    for (const text of [numbers, words]) {
      const answer = await call('acceptWebhook', { key: agent.key, params: { flow_id: agent.flowid }, text });
      expect(answer.problem).toMatchObject({ status: 413, code: 'payload_too_large' });
    }
  });
});

describe('422', () => {
  test.each(['Idempotency-Key', 'webhook-id'])(
    'another event under a name of %s whose run exists, also one that another key sends, and the run stays as it is',
    async (header) => {
      const name = unique('count');
      const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
      const colleague = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid] });
      const headers = { [header]: unique('event') };
      const { triggerId } = (await accept(agent, { event: 'first' }, headers)).body;
      await idle();
      const first = await state(agent, triggerId);
      for (const { key } of [agent, colleague]) {
        for (const body of [{ event: 'second' }, { event: 'first', data: {} }]) {
          const { problem } = await accept({ ...agent, key }, body, headers);
          expect(problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
          expect(problem.detail).toContain(header);
          expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/headers/${header.toLowerCase()}`]);
        }
      }
      await idle();
      expect(first.status).toBe('completed');
      expect(await state(agent, triggerId)).toEqual(first);
      expect((await accept(agent, { event: 'first' }, headers)).body.triggerId).toBe(triggerId);
      expect(upstream.calls(name)).toBe(1);
    },
  );

  test('the answer points to the header that named the event', async () => {
    const agent = await liveAgent();
    const headers = { 'idempotency-key': unique('event'), 'webhook-id': unique('event') };
    await accept(agent, { event: 'first' }, headers);
    await idle();
    const { problem } = await accept(agent, { event: 'second' }, headers);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/headers/idempotency-key']);
  });
});

describe('401', () => {
  test('the key must be in Authorization: Bearer; X-API-Key alone is refused', async () => {
    const agent = await liveAgent();
    const params = { flow_id: agent.flowid };
    const alone = await call('acceptWebhook', {
      params,
      body: { event: 'x' },
      headers: { 'x-api-key': agent.key },
    });
    expect(alone.problem).toMatchObject({
      code: 'unauthenticated',
      detail: expect.stringContaining('Bearer'),
    });
    const basic = { authorization: `Basic ${agent.key}` };
    expect((await call('acceptWebhook', { params, body: { event: 'x' }, headers: basic })).status).toBe(401);
  });
});

describe('403', () => {
  test('a key without the permission to run', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:read'] });
    expect((await accept({ ...agent, key })).problem.detail).toContain('assistants.flows:run');
  });
});

describe('404', () => {
  test('a missing flow and one of another organisation give the same error', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const { key } = await newCaller();
    const flowid = unique('flow');
    const readProblem = async (asked: string) => {
      const { problem } = await accept({ key, flowid: asked });
      return { ...problem, instance: '', detail: problem.detail?.replace(asked, '') };
    };
    const missing = await readProblem(flowid);
    expect(missing).toMatchObject({ status: 404, code: 'trigger_not_found' });
    expect(await readProblem(agent.flowid)).toEqual(missing);
  });

  test('a key with the id of a key of another organisation cannot run its flows', async () => {
    const agent = await liveAgent();
    await accept(agent);
    const key = await issueApiKey({
      id: agent.id,
      orgid: unique('org'),
      workspaces: '*',
      scopes: ['assistants.flows:run'],
      issuedAt: Math.floor(Date.now() / 1_000),
      lifetimeSeconds: 60,
    });
    expect((await accept({ ...agent, key })).status).toBe(404);
  });
});

describe('409', () => {
  test('if several workspaces have the flow and none owns it, a key for all of them is refused', async () => {
    const owner = await newCaller();
    const { flowid } = await newRow(owner);
    for (const _ of [1, 2]) {
      const elsewhere = { ...owner, workspaceid: unique('ws') };
      await promoted(elsewhere, await newRow(elsewhere, { flowid }));
    }
    const { problem } = await accept({ key: owner.key, flowid });
    expect(problem).toMatchObject({
      status: 409,
      code: 'ambiguous_flow',
      detail: expect.stringContaining('a key for one workspace'),
    });
  });
});
