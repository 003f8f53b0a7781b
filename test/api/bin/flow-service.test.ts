// `agent-flow` with a service: builds and runs, over HTTP.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '#lib/cli/api/operations.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { routes } from '#lib/routes/routes.ts';
import { card, flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { askingFlow, failingFlow, liveAgent, replyingFlow } from '#test/support/flows.ts';
import { serviceUrl } from '#test/support/service-url.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

const atOnce = { concurrent: true } as const;

async function agentFolder(flowid: string, some: object = {}): Promise<string> {
  const folder = join(home.folder, unique('agent'));
  await mkdir(folder);
  const agent = { flowid, agent_card: card(), flow: 'flow.json', ...some };
  await writeFile(join(folder, 'agent.json'), JSON.stringify(agent));
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flow()));
  return folder;
}

test('the operations of the command line are those of the route table', () => {
  for (const [id, line] of Object.entries(operations)) {
    const { method, path } = routes[id as keyof typeof operations];
    expect(line).toBe(`${method} ${path}`);
  }
});

describe('builds', atOnce, () => {
  test('are pushed, listed, compared, promoted and rolled back', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const folder = await agentFolder(flowid);
    const first = await home.as(caller, 'push', folder);
    expect([first.code, first.output]).toEqual([
      0,
      expect.stringContaining(`Registered build 1 of ${flowid}: reg_`),
    ]);
    expect(await home.as(caller, 'promote', flowid)).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Build 1 of ${flowid} `),
    });
    await writeFile(join(folder, 'flow.json'), JSON.stringify(flow({ name: 'Echo 2' })));
    const second = await home.as(caller, 'push', folder, '--label', 'shorter', '--note', 'Of 2', '--json');
    expect(second.json()).toMatchObject({ flowid, build_no: 2, label: 'shorter', note: 'Of 2' });
    const listed = await home.as(caller, 'builds', flowid, '--json');
    expect(
      listed.json().items.map((row: { build_no: number; status: string }) => [row.build_no, row.status]),
    ).toEqual([
      [2, 'test'],
      [1, 'live'],
    ]);
    expect((await home.as(caller, 'builds')).output).toMatch(
      /^FLOW +BUILD.*\n.* 2 +test .* shorter\n.* 1 +live /,
    );
    expect((await home.as(caller, 'diff', `${flowid}@2`)).output).toContain('Nothing differs.');
    const promoted = await home.as(caller, 'promote', second.json().a2aregistryid, '--json');
    expect(promoted.json()).toMatchObject({
      build_no: 2,
      status: 'live',
      demoted: expect.stringMatching(/^reg_/),
    });
    expect((await home.as(caller, 'rollback', flowid, '--json')).json()).toMatchObject({
      build_no: 1,
      status: 'live',
    });
  });

  test('that may break callers are promoted only if that is said', async () => {
    const caller = await newCaller();
    const { flowid } = await liveAgent({}, caller);
    const other = [{ id: 'other', name: 'Other', description: 'Another.' }];
    await newRow(caller, { flowid, agent_card: card({ skills: other }) });
    const compared = await home.as(caller, 'diff', flowid, '--exit-code');
    expect([compared.code, compared.output]).toEqual([
      1,
      expect.stringMatching(/- echo.* may break callers/),
    ]);
    const refused = await home.as(caller, 'promote', flowid);
    expect([refused.code, refused.printed]).toEqual([
      1,
      expect.stringContaining('a change may break callers'),
    ]);
    expect(
      (await home.as(caller, 'builds', flowid, '--status', 'live', '--json')).json().items,
    ).toMatchObject([{ build_no: 1 }]);
    expect(await home.as(caller, 'promote', flowid, '--allow-breaking')).toMatchObject({ code: 0 });
  });

  test('whose tests fail are not promoted', async () => {
    const caller = await newCaller();
    const tests = [{ name: 'says no', input: { message: 'yes' }, expect: "{{ response.said = 'no' }}" }];
    const { flowid } = await newRow(caller, { flow: flow({ tests }) });
    const refused = await home.as(caller, 'promote', flowid);
    expect([refused.code, refused.printed]).toEqual([
      1,
      expect.stringMatching(/1 of its 1 tests fail(.|\n)*✗ says no/),
    ]);
    expect(await home.as(caller, 'promote', flowid, '--skip-tests')).toMatchObject({ code: 0 });
  });

  test('are registered once for one idempotency key', async () => {
    const caller = await newCaller();
    const folder = await agentFolder(unique('flow'));
    const push = async () =>
      (await home.as(caller, 'push', folder, '--idempotency-key', 'k-1', '--json')).json();
    expect((await push()).a2aregistryid).toBe((await push()).a2aregistryid);
  });

  test('with mistakes are not sent', async () => {
    const caller = await newCaller();
    const folder = await agentFolder(unique('flow'), { visibility: 'secret' });
    const { code, printed } = await home.as(caller, 'push', folder);
    expect([code, printed]).toEqual([1, expect.stringContaining('mistake /visibility: must be one of')]);
    expect(
      (await call('listRegistryRows', { key: caller.key, query: { workspaceid: caller.workspaceid } })).body
        .items,
    ).toEqual([]);
  });
});

describe('another organisation', atOnce, () => {
  test('has no builds and runs of this one', async () => {
    const agent = await liveAgent();
    const stranger = { ...(await newCaller()), workspaceid: agent.workspaceid };
    const ran = await home.as(agent, 'trigger', agent.flowid, '-m', 'x', '--json');
    const run: string = ran.json().workflow_id;
    const seen = await Promise.all([
      home.as(stranger, 'builds', '--json'),
      home.as(stranger, 'runs', '--json'),
      home.as(stranger, 'promote', agent.a2aregistryid),
      home.as(stranger, 'logs', run, '--json'),
      home.as(stranger, 'trigger', agent.flowid),
      home.as(stranger, 'call', agent.flowid, 'Hi'),
    ]);
    expect(seen.map(({ code }) => code)).toEqual([0, 0, 4, 4, 4, 4]);
    expect([seen[0]?.json(), seen[1]?.json()]).toEqual([{ items: [] }, { items: [] }]);
    const [, , , logs] = seen;
    expect([logs?.output, JSON.parse(logs?.printed ?? '').error]).toEqual([
      '',
      expect.objectContaining({
        code: 'run_not_found',
        status: 404,
        retry: false,
        request_id: expect.any(String),
      }),
    ]);
  });
});

describe('runs', atOnce, () => {
  test('are triggered, listed and shown', async () => {
    const agent = await liveAgent();
    const waited = await home.as(agent, 'trigger', agent.flowid, '--message', 'Hello');
    expect([waited.code, waited.json()]).toEqual([
      0,
      expect.objectContaining({ status: 'completed', response: { said: 'Hello' } }),
    ]);
    const background = await home.as(agent, 'trigger', agent.flowid, '-m', 'Bye', '--background');
    const id = background.output.trim();
    const followed = await home.as(agent, 'logs', id, '--follow');
    expect([followed.code, followed.json()]).toEqual([
      0,
      expect.objectContaining({ status: 'completed', response: { said: 'Bye' } }),
    ]);
    const lines = (await home.as(agent, 'logs', id, '--follow', '--json')).output.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ status: 'completed' });
    expect((await home.as(agent, 'logs', id)).output).toMatch(
      /The flow "Echo" starts\.\n(.|\n)*\ncompleted\n/,
    );
    const { items } = (await home.as(agent, 'runs', agent.flowid, '--status', 'completed', '--json')).json();
    expect(items.map((run: { workflow_id: string }) => run.workflow_id)).toContain(id);
    expect((await home.as(agent, 'runs', '-n', '1')).output.trim().split('\n')).toHaveLength(2);
  });

  test('that fail end the command with 1 and the error', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const waited = await home.as(agent, 'trigger', agent.flowid, '-m', 'tea', '--json');
    expect([waited.code, waited.json().error]).toEqual([1, expect.stringContaining('No stock of tea.')]);
    const followed = await home.as(agent, 'trigger', agent.flowid, '-m', 'tea', '--follow');
    expect([followed.code, followed.json()]).toEqual([1, expect.objectContaining({ status: 'failed' })]);
  });

  test('that ask are answered or canceled, by those of the organisation', async () => {
    const [agent, stranger] = [await liveAgent({ flow: askingFlow() }), await newCaller()];
    const start = async () =>
      (await home.as(agent, 'trigger', agent.flowid, '-m', 'order 7', '--background')).output.trim();
    const [answered, canceled] = [await start(), await start()];
    await idle();
    expect(await home.as(stranger, 'answer', answered, 'yes')).toMatchObject({ code: 4 });
    expect(await home.as(agent, 'answer', answered, '{', '--as-json')).toMatchObject({
      code: 2,
      printed: expect.stringContaining('--as-json expects an answer that is JSON.'),
    });
    expect((await home.as(agent, 'answer', answered, 'yes')).output).toContain(`${answered} continues.`);
    await idle();
    expect((await home.as(agent, 'logs', answered, '--json')).json().response).toEqual({ answered: 'yes' });
    const late = await home.as(agent, 'answer', answered, 'no', '--json');
    expect([late.code, JSON.parse(late.printed).error]).toEqual([
      4,
      expect.objectContaining({ code: 'run_not_waiting', retry: false }),
    ]);
    expect(await home.as(stranger, 'cancel', canceled)).toMatchObject({ code: 4 });
    expect((await home.as(agent, 'cancel', canceled)).output).toBe(`${canceled} is canceled.\n`);
    const again = await home.as(agent, 'cancel', canceled, '--json');
    expect(again.json()).toMatchObject({ workflow_id: canceled, status: 'canceled' });
    const over = await home.as(agent, 'cancel', answered, '--json');
    expect(JSON.parse(over.printed).error).toMatchObject({ code: 'run_over', status: 409, retry: false });
  });

  test('are started by events', async () => {
    const agent = await liveAgent({
      flow: flow({ nodes: { done: { type: 'end', output: { id: '{{ input.event.data.id }}' } } } }),
    });
    const event = join(home.folder, `${unique('event')}.json`);
    await writeFile(event, JSON.stringify({ event: 'order.paid', data: { id: 7 } }));
    const followed = await home.as(agent, 'trigger', agent.flowid, '--event', event, '--follow');
    expect([followed.code, followed.printed]).toEqual([0, expect.stringContaining('"id": 7')]);
  });
});

const callsOnly = ['assistants.flows:run'] as const;

describe('call', atOnce, () => {
  test('prints the answer to stdout, and what the agent says before to stderr', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const { code, printed, output } = await home.as(agent, 'call', agent.flowid, 'Hello');
    expect([code, output]).toEqual([0, 'Hello\n']);
    expect(printed).toContain('« Looking.');
    const { task } = (await home.as(agent, 'call', `${agent.flowid}@1`, 'Hello', '--json')).json();
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    const events = (await home.as(agent, 'call', agent.a2aregistryid, 'Hello', '--json', '--stream')).output
      .trim()
      .split('\n');
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  test('a flow is the own one, also if another organisation had its name first', async () => {
    const { flowid } = await liveAgent();
    const nodes = { done: { type: 'end', output: { mine: 'mine: {{ input.message }}' } } };
    const own = await liveAgent({ flowid, flow: flow({ nodes }) });
    expect((await home.as(own, 'call', flowid, 'Hello')).output).toBe('mine: Hello\n');
    const caller = await newCaller({ orgid: own.orgid, workspaces: [own.workspaceid], scopes: callsOnly });
    expect(await home.as(caller, 'call', own.a2aregistryid, 'Hello')).toMatchObject({ code: 0 });
    expect(await home.as(caller, 'call', flowid, 'Hello')).toMatchObject({ code: 3 });
  });

  test('an agent that is not live, or is not there, is named, and valid credentials are not suspected', async () => {
    const caller = await newCaller();
    const { flowid } = await newRow(caller);
    for (const agent of [flowid, `${flowid}@live`, unique('flow')]) {
      const { code, printed } = await home.as(caller, 'call', agent, 'Hello');
      const name = agent.replace('@live', '');
      expect([code, printed]).toEqual([
        4,
        expect.stringMatching(
          new RegExp(`no build of ${name} is live in the workspace .*\n.*builds ${name}.*promote ${name}`),
        ),
      ]);
    }
  });

  test('a question is answered with the id of its task', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const asked = await home.as(agent, 'call', agent.flowid, 'Hello');
    expect([asked.code, asked.printed]).toEqual([1, expect.stringContaining('input required')]);
    const [, task = ''] = /--task (\S+)/.exec(asked.printed) ?? [];
    expect(await home.as(agent, 'call', agent.flowid, 'yes', '--task', task)).toMatchObject({ code: 0 });
  });

  test('an agent elsewhere is refused, since the key would go there', async () => {
    const caller = await newCaller();
    const { code, printed } = await home.as(caller, 'call', 'https://agents.example/a/', 'Hi');
    expect([code, printed]).toEqual([2, expect.stringContaining('a key is only sent to its own service')]);
  });
});

describe('a service that does not do what is asked', atOnce, () => {
  let caller: TestCaller;
  beforeAll(async () => {
    caller = await newCaller({ scopes: ['assistants.flows:read'] });
  });
  const env = (url: string, key = caller.key) => ({
    AGENT_FLOW_URL: url,
    AGENT_FLOW_KEY: key,
    AGENT_FLOW_WORKSPACE: caller.workspaceid,
  });

  test('refuses a key, a permission, a build and a field: exit codes 3, 3, 4 and 4', async () => {
    const folder = await agentFolder(unique('flow'));
    const seen = await Promise.all([
      home.run(['builds'], env(serviceUrl(), 'no-key')),
      home.as(caller, 'push', folder),
      home.as(caller, 'promote', 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E'),
      home.as(caller, 'runs', '--since', 'yesterday'),
    ]);
    expect(seen.map(({ code }) => code)).toEqual([3, 3, 4, 4]);
    expect(seen[0]?.printed).toMatch(
      /^Listing the builds failed: .*\nCode unauthenticated, HTTP 401, request .*\nTry again: no\. .*\n$/m,
    );
    expect(seen[3]?.printed).toMatch(
      /\n {2}\/query\/from: must be a time .*\nCode validation_failed, HTTP 400, request /,
    );
  });

  test('that cannot be reached, or is busy, is worth another try: exit code 5', async () => {
    const busy = createServer((_request, response) => {
      response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '3' });
      response.end(JSON.stringify({ title: 'Busy', code: 'dependency_unavailable', instance: 'r-1' }));
    });
    const url = await listen(busy, 0);
    const answered = await home.run(['runs', '--json'], env(url));
    await closeServer(busy);
    expect([answered.code, JSON.parse(answered.printed).error]).toEqual([
      5,
      expect.objectContaining({
        code: 'dependency_unavailable',
        request_id: 'r-1',
        retry: true,
        retry_after_seconds: 3,
      }),
    ]);
    const { code, printed } = await home.run(['runs'], env(url));
    expect([code, printed]).toEqual([
      5,
      expect.stringMatching(/cannot be reached \(ECONNREFUSED\)\.\nTry again: yes/),
    ]);
  });

  test('that redirects does not get the key sent elsewhere', async () => {
    const seen: unknown[] = [];
    const other = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end('{}');
    });
    const otherUrl = await listen(other, 0);
    const redirecting = createServer((_request, response) =>
      response.writeHead(307, { location: `${otherUrl}/api/v1/runs` }).end(),
    );
    const { code, printed } = await home.run(['runs'], env(await listen(redirecting, 0)));
    await Promise.all([closeServer(other), closeServer(redirecting)]);
    expect([code, printed, seen]).toEqual([4, expect.stringContaining('which does not get the key'), []]);
  });

  test.each([
    [
      'half a service',
      { AGENT_FLOW_URL: 'https://api.example.com' },
      2,
      'AGENT_FLOW_URL and AGENT_FLOW_KEY need each other',
    ],
    [
      'http elsewhere',
      { AGENT_FLOW_URL: 'http://api.example.com', AGENT_FLOW_KEY: 'k' },
      2,
      'must begin with https',
    ],
    ['no URL', { AGENT_FLOW_URL: 'api', AGENT_FLOW_KEY: 'k' }, 2, 'is not that of a service'],
    ['no service', {}, 3, 'There is no service to work with.'],
    ['an unknown profile', { AGENT_FLOW_PROFILE: 'shop' }, 2, 'There is no profile "shop"'],
    [
      'no workspace',
      { AGENT_FLOW_URL: 'https://api.example.com', AGENT_FLOW_KEY: 'k' },
      2,
      'names no workspace',
    ],
  ])('%s is refused before a request', async (_what, some, expected, said) => {
    const { code, printed } = await home.run(['runs'], some);
    expect([code, printed]).toEqual([expected, expect.stringContaining(said)]);
  });
});
