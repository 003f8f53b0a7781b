import { describe, expect, test } from 'vitest';
import { registryId } from '#lib/ids.ts';
import { card, createBody, flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { testedService } from '#test/support/tested-service.ts';

const create = async (body: unknown, caller: TestCaller | Promise<TestCaller> = newCaller()) => {
  const { key, workspaceid } = await caller;
  return await call('createRegistryRow', { key, query: { workspaceid }, body });
};

describe('201', () => {
  test('the new row is a test row of the caller, and Location names it', async () => {
    const caller = await newCaller();
    const body = createBody({
      flow_version: '2.0.0',
      label: 'spring sale',
      note: 'Two lines:\nthe second.',
      visibility: 'public',
      tool_config: { a: [1] },
      env_variable: { REGION: 'eu' },
    });
    const answer = await call('createRegistryRow', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid },
      body,
    });
    const row = answer.body;
    expect(answer.headers.get('location')).toBe(`/api/v1/a2a-registry/${row.a2aregistryid}`);
    expect(registryId.safeParse(row.a2aregistryid).success).toBe(true);
    expect(row).toMatchObject({
      flowid: body.flowid,
      flow_version: '2.0.0',
      label: 'spring sale',
      note: 'Two lines:\nthe second.',
      build_no: 1,
      workspaceid: caller.workspaceid,
      orgid: caller.orgid,
      status: 'test',
      visibility: 'public',
      tool_config: { a: [1] },
      env_variable: { REGION: 'eu' },
      version: 1,
      created_by: caller.id,
    });
    expect(row.updated_at).toBe(row.created_at);
    expect(Math.abs(Date.parse(row.created_at) - Date.now())).toBeLessThan(60_000);
    expect(row.flow).toBeUndefined();
  });

  test('visibility is organization by default', async () => {
    expect((await create(createBody())).body.visibility).toBe('organization');
  });

  test('the hosted URL follows the pattern of test builds, and is the URL of the card', async () => {
    const { body: row } = await create(createBody());
    const url = `${testedService().baseUrl}/api/v1/ai/a2a/${row.flowid}/${row.a2aregistryid}/`;
    expect(row.hosted_url).toBe(url);
    expect(row.card_url).toBe(`${url}.well-known/agent-card.json`);
    expect(row.agent_card.supportedInterfaces.map((each) => each.url)).toEqual([
      url,
      `${url}rest`,
      `${url}v0.3`,
    ]);
    // The card at its URL is signed.
    expect(row.agent_card).not.toHaveProperty('signatures');
  });

  test('tags of the card become tags of the row and of every skill', async () => {
    const { body: row } = await create(createBody({ agent_card: card({ tags: ['orders'] }) }));
    expect(row.tags).toEqual(['orders']);
    expect(row.agent_card.skills.map((skill) => skill.tags)).toEqual([['orders']]);
  });

  test('builds of a flow are numbered in its workspace, also when they are registered concurrently', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const rows = await Promise.all([1, 2, 3, 4].map(() => newRow(caller, { flowid })));
    expect(rows.map((row) => row.build_no).sort()).toEqual([1, 2, 3, 4]);
    expect((await newRow(caller, { flowid }, unique('ws'))).build_no).toBe(1);
  });

  test('warnings about the flow are part of the answer, also of a repeated request, and not of the row', async () => {
    const { key, workspaceid } = await newCaller();
    const nodes = {
      sure: { type: 'ask', prompt: 'Refund {{ state.sum }}?', next: 'done' },
      done: { type: 'end', output: { answered: '{{ nodes.sure }}' } },
    };
    const body = createBody({ flow: flow({ start: 'sure', nodes }) });
    const headers = { 'idempotency-key': unique('key') };
    const send = () => call('createRegistryRow', { key, query: { workspaceid }, headers, body });
    const { warnings, ...row } = (await send()).body;
    expect(warnings).toEqual([
      {
        pointer: '/body/flow/nodes/sure/prompt',
        code: 'state_without_value',
        detail: expect.stringContaining('state.sum'),
      },
      {
        pointer: '/body/flow/nodes/sure',
        code: 'may_pause',
        detail: expect.stringContaining('`input_required`'),
      },
    ]);
    expect((await send()).body.warnings).toEqual(warnings);
    const params = { a2aregistryid: row.a2aregistryid };
    expect((await call('getRegistryRow', { key, params })).body).toEqual(row);
  });

  test('warnings name the traps of expressions, the lost assignments and the literal secrets', async () => {
    const inner = {
      read: {
        type: 'http',
        url: 'https://api.shop.example/orders',
        headers: { Authorization: 'Bearer sk-1' },
        assign: { count: '{{ nodes.read.data.length }}' },
      },
    };
    const nodes = {
      both: { type: 'parallel', branches: { one: { start: 'read', nodes: inner } }, next: 'pick' },
      pick: {
        type: 'switch',
        cases: [{ when: '{{ $count(input.user_variables.rows[id = state.id]) }}', next: 'done' }],
        default: 'done',
      },
      done: {
        type: 'end',
        output: { text: 'Row {{ input }}', rest: '{{ 1 / 0 }}', none: '{{ env.A = null }}' },
      },
    };
    const doubtful = flow({ start: 'both', egress: ['api.shop.example'], state: { id: 1 }, nodes });
    const { warnings } = (await create(createBody({ flow: doubtful }))).body;
    const at = '/body/flow/nodes';
    expect(warnings?.map(({ code, pointer }) => `${code} ${pointer}`).sort()).toEqual([
      `assignment_lost ${at}/both/branches/one/nodes/read/assign/count`,
      `condition_not_boolean ${at}/pick/cases/0/when`,
      `division_by_zero ${at}/done/output/rest`,
      `foreign_syntax ${at}/both/branches/one/nodes/read/assign/count`,
      `literal_secret ${at}/both/branches/one/nodes/read/headers/Authorization`,
      `member_without_value ${at}/both/branches/one/nodes/read/assign/count`,
      `null_comparison ${at}/done/output/none`,
      `object_in_text ${at}/done/output/text`,
      `scope_hidden ${at}/pick/cases/0/when`,
    ]);
  });

  test('a flow without flaws has no warnings', async () => {
    expect(Object.keys((await create(createBody())).body)).not.toContain('warnings');
  });

  test('a content type with a charset is accepted', async () => {
    const { key, workspaceid } = await newCaller();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const answer = await call('createRegistryRow', {
      key,
      query: { workspaceid },
      body: createBody(),
      headers,
    });
    expect(answer.status).toBe(201);
  });

  test('a card that the service returned can be sent back', async () => {
    const caller = await newCaller();
    const { agent_card } = await newRow(caller);
    expect((await newRow(caller, { agent_card })).agent_card.name).toBe(agent_card.name);
  });

  test('the hosts that the flow may reach are shown', async () => {
    const { body: row } = await create(createBody({ flow: flow({ egress: ['api.example.com'] }) }));
    expect(row.egress).toEqual(['api.example.com']);
  });
});

describe('400', () => {
  // A row is one item of DynamoDB, which has 400 KB at most.
  const big = 'x'.repeat(4_000);
  const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  test.each<[string, object]>([
    ['tool_config', { tool_config: { a: many(120, () => big) } }],
    ['env_variable', { env_variable: Object.fromEntries(many(120, (n) => [`A${n}`, big])) }],
    [
      'agent_card',
      {
        agent_card: card({
          skills: many(50, (n) => ({
            id: `s${n}`,
            name: 's',
            description: big.slice(0, 2_000),
            examples: many(20, () => big.slice(0, 1_000)),
          })),
        }),
      },
    ],
  ])('a %s above the limit of a row is reported', async (name, some) => {
    const { problem } = await create(createBody(some));
    expect(problem).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/body/${name}`]);
  });

  test.each([
    'status',
    'orgid',
    'workspaceid',
    'a2aregistryid',
    'id',
    'build_no',
    'hosted_url',
    'created_by',
  ])('a body with %s is refused, since only the service sets it', async (name) => {
    const { problem } = await create(createBody({ [name]: 'live' }));
    expect(problem).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(problem.errors).toEqual([{ pointer: `/body/${name}`, detail: expect.any(String) }]);
  });

  test('all mistakes are reported at once', async () => {
    const { problem } = await create({
      flowid: 'agents',
      agent_card: { ...card(), name: '', skills: [] },
      extra: 1,
      flow: [],
    });
    expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      '/body/agent_card/name',
      '/body/agent_card/skills',
      '/body/extra',
      '/body/flow',
      '/body/flowid',
    ]);
  });

  test.each([
    ['a control character', 'Echo\u0007'],
    ['a bidirectional override', 'Echo \u202egnp.exe'],
    ['a zero-width space', 'Ec\u200bho'],
    ['a line separator', 'Echo\u2028Admin'],
  ])('text of the card with %s is refused with its pointer', async (_, name) => {
    const skill = { id: 'a', name, description: 'a' };
    const { problem } = await create(createBody({ agent_card: card({ name, skills: [skill] }) }));
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
      '/body/agent_card/name',
      '/body/agent_card/skills/0/name',
    ]);
  });

  test('an invalid MIME type is reported with its pointer', async () => {
    const skill = { id: 'a', name: 'a', description: 'a', outputModes: ['text'] };
    const { problem } = await create(createBody({ agent_card: card({ skills: [skill] }) }));
    expect(problem.errors?.[0]?.pointer).toBe('/body/agent_card/skills/0/outputModes/0');
  });

  test('a request without a workspace is refused with that reason', async () => {
    const { problem } = await call('createRegistryRow', { key: (await newCaller()).key, body: createBody() });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/workspaceid']);
  });

  const bad = { type: 'transform', output: {}, next: 'nowhere' };
  test.each([
    ['an unknown next node', flow({ nodes: { done: bad } }), '/body/flow/nodes/done/next'],
    ['an unknown start node', flow({ start: 'nowhere' }), '/body/flow/start'],
    ['an unknown node type', flow({ nodes: { done: { type: 'magic' } } }), '/body/flow/nodes/done/type'],
    ['an unknown member', flow({ colour: 'red' }), '/body/flow/colour'],
    [
      'an expression that is not one',
      flow({ nodes: { done: { type: 'end', output: { a: '{{ 1 + }}' } } } }),
      '/body/flow/nodes/done/output/a',
    ],
    [
      'fields that do not go together',
      flow({ nodes: { done: { type: 'wait', seconds: 1, until: '2027-01-31T09:00:00Z' } } }),
      '/body/flow/nodes/done',
    ],
    [
      'a condition that is not closed',
      flow({
        nodes: { done: { type: 'switch', cases: [{ when: '{{ "}}', next: 'done' }], default: 'done' } },
      }),
      '/body/flow/nodes/done/cases/0/when',
    ],
    ['a version other than 1', flow({ version: 2 }), '/body/flow/version'],
  ])('a flow with %s is refused with the exact pointer', async (_what, wrong, pointer) => {
    const { problem } = await create(createBody({ flow: wrong }));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_flow' });
    expect(problem.errors?.map((each) => each.pointer)).toContain(pointer);
  });

  test('a list instead of an object is reported in plain words', async () => {
    const { problem } = await create(createBody({ flow: flow({ models: [] }), agent_card: [] }));
    expect(problem.errors).toEqual([
      { pointer: '/body/agent_card', detail: 'must be an object, not a list' },
    ]);
    const { problem: second } = await create(createBody({ flow: flow({ models: [] }) }));
    expect(second.errors).toContainEqual({
      pointer: '/body/flow/models',
      detail: 'must be an object, not a list',
    });
  });

  test('a refused registration stores nothing', async () => {
    const caller = await newCaller();
    await create(createBody({ flow: flow({ start: 'nowhere' }) }), Promise.resolve(caller));
    const { body } = await call('listRegistryRows', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid },
    });
    expect(body.items).toEqual([]);
  });
});

describe('403', () => {
  test('a key without the permission to create gets its name', async () => {
    const { problem } = await create(createBody(), newCaller({ scopes: ['assistants.flows:read'] }));
    expect(problem).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(problem.detail).toContain('assistants.flows:create');
  });

  test('a key for other workspaces may not register in this one', async () => {
    const { key } = await newCaller({ workspaces: [unique('ws')] });
    const { problem } = await call('createRegistryRow', {
      key,
      query: { workspaceid: unique('ws') },
      body: createBody(),
    });
    expect(problem.code).toBe('permission_denied');
  });
});
