// The page behind the link of a task that waits: what it says, to whom, and what it is sent with.
import { describe, expect, test } from 'vitest';
import { expiredLink, openPage, waitingTask } from '#test/support/agent-config.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newPerson } from '#test/support/person.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { testedService } from '#test/support/tested-service.ts';

const hosts = ['api.crm.example', '*.files.crm.example'];
const crm = { type: 'http_bearer', hosts, label: 'The CRM', scope: 'user' };
const address = () => `${testedService().baseUrl}/public/agent-config`;

describe('200', () => {
  test('a person who started the run from a page of the service is not called a key', async () => {
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) });
    const { id, page } = await newPerson({ orgid: agent.orgid });
    const { workflow_id } = (
      await call('startRun', {
        headers: page,
        params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
        body: {},
      })
    ).body;
    await idle();
    const { needs } = (await call('getRunDetail', { headers: page, params: { workflow_id } })).body;
    const { text } = await openPage(needs?.configuration_url ?? '');
    expect(text).toContain(`You only for what the person ${id} of ${agent.orgid} starts`);
  });

  test('without a link, the page says in words that a link is needed and that one cannot sign in yet', async () => {
    const page = await openPage(address());
    expect(page.status).toBe(200);
    expect(page.text).toContain('Open the link that your agent gave you');
    expect(page.text).toContain('Signing in here without a link is not possible yet');
  });

  test('the page says which agent asks, what for, where the value may go, for whom it is stored, in that order', async () => {
    const { link, agent } = await waitingTask({ crm });
    const { status, text } = await openPage(link);
    expect(status).toBe(200);
    const order = [
      `Agent of ${agent.orgid} · ${agent.workspaceid}`,
      'What it wants The CRM an access token, called crm',
      'Where the value may go api.crm.example *.files.crm.example and nowhere else',
      `For whom it is stored You only for what the key ${agent.id} of ${agent.orgid} starts`,
      'Token',
      'Store',
    ];
    const found = order.map((part) => text.indexOf(part));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  test('opening the page has no effect, however often', async () => {
    const { link } = await waitingTask({ crm });
    const pages = await Promise.all([1, 2, 3].map(() => openPage(link)));
    expect(pages.map(({ html }) => html)).toEqual(Array(3).fill(pages[0]?.html));
    expect((await openPage(link, { method: 'HEAD' })).status).toBe(200);
  });

  test('parameters that a mail program adds to the link are ignored', async () => {
    const { link } = await waitingTask({ crm });
    expect((await openPage(`${link}&utm_source=mail&fbclid=x`)).status).toBe(200);
  });

  test('once the connection was stored in another way, the page says so and how the task gets on', async () => {
    const { link, agent } = await waitingTask({ crm });
    await putConnection(agent, 'crm', bearer('hunter2-hunter2', { scope: 'user' }));
    await idle();
    const { status, text } = await openPage(link);
    expect(status).toBe(200);
    expect(text).toContain('Nothing to do here');
    expect(text).toContain('Task: completed');
  });

  test('a connection of the workspace is not asked of a key that may not manage connections', async () => {
    const agent = await liveAgent({
      flow: flow({ connections: { crm: { ...crm, scope: 'organization' } } }),
    });
    const { key, id } = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:run'] });
    const { link } = await waitingTask({}, { ...agent, key, id });
    const { text, html } = await openPage(link);
    expect(text).toContain('Somebody else must add this');
    expect(html).not.toContain('<form');
  });

  test('labels and names of an agent are text, whatever they contain', async () => {
    const label = `<img src=x onerror=alert(1)>"'\`\u202e&`;
    const { link } = await waitingTask({ crm: { ...crm, label } });
    const { html, text } = await openPage(link);
    expect(html).not.toMatch(/<img|onerror=alert\(1\)>"/);
    expect(text).toContain(label);
  });
});

describe('the link', () => {
  test('is given to the principal of the run alone: a colleague who may read the run gets none', async () => {
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) });
    const id = await startedRun(agent);
    await idle();
    const own = await runState(agent, id);
    expect(own.needs?.configuration_url).toContain('&token=');
    const colleague = await newCaller({ orgid: agent.orgid });
    const seen = await runState({ ...agent, key: colleague.key }, id);
    expect(seen.needs?.configuration_url).toMatch(/task_id=[\w-]+$/);
    const detail = await call('getRunDetail', { key: colleague.key, params: { workflow_id: id } });
    expect(detail.text).not.toContain('token=');
  });

  test('of one read is that of the next read a moment later', async () => {
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) });
    const id = await startedRun(agent);
    await idle();
    const [first, second] = await Promise.all([runState(agent, id), runState(agent, id)]);
    expect(first.needs).toEqual(second.needs);
  });
});

describe('404', () => {
  test('a guessed token, that of another task, of no task, and one that was changed are alike, and named configuration_link_not_found', async () => {
    const { link } = await waitingTask({ crm });
    const other = await waitingTask({ crm });
    const url = new URL(link);
    const token = url.searchParams.get('token') ?? '';
    const tries = [
      { task_id: other.id, token },
      { task_id: crypto.randomUUID(), token },
      { task_id: 'x', token },
      { token: `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}` },
      // Its rights: the MAC is over them too.
      { token: token.replace('workspace', 'user') },
      { token: `z${token.slice(1)}` },
      { token: '' },
      { token: 'x'.repeat(180) },
    ];
    const bodies = await Promise.all(
      tries.map(async (change) => {
        const changed = new URL(link);
        for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value);
        const page = await openPage(changed.href);
        expect([page.status, page.code]).toEqual([404, 'configuration_link_not_found']);
        return page.text.replace(/Reference: \S+/, '');
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });

  test('a link is void once the key of its principal is revoked', async () => {
    const caller = await newCaller();
    const made = await call('createApiKey', {
      key: caller.key,
      body: {
        label: 'Phone app',
        scopes: ['assistants.flows:run', 'assistants.flows:read'],
        workspaces: '*',
      },
    });
    const agent = await liveAgent({ flow: flow({ connections: { crm } }) }, caller);
    const { token: key, keyid } = made.body;
    const { link } = await waitingTask({}, { ...agent, key, id: keyid });
    expect((await openPage(link)).text).toContain('only for what “ Phone app ” of');
    await call('revokeApiKey', { key: caller.key, params: { keyid } });
    expect((await openPage(link)).code).toBe('configuration_link_not_found');
  });
});

describe('the headers', () => {
  test.each(['a page', 'an error'])(
    'of %s allow no script, no frame, no referrer and no cache',
    async (which) => {
      const { link } = await waitingTask({ crm });
      const { headers, html } = await openPage(which === 'a page' ? link : `${link}x`);
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of [
        "default-src 'none'",
        "script-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(html).not.toMatch(/<script|https?:\/\/|src=|@import|url\(/i);
    },
  );
});

describe('410', () => {
  test('a link that has expired is configuration_link_expired, offers a new one, and cannot store', async () => {
    const { link, id } = await waitingTask({ crm });
    const old = await expiredLink(link, id);
    const page = await openPage(old);
    expect([page.status, page.code]).toEqual([410, 'configuration_link_expired']);
    expect(page.text).toContain('Get a new link');
    expect(page.html).not.toContain('credential.');
  });

  test('a link is unknown a day after it has expired', async () => {
    const { link, id } = await waitingTask({ crm });
    const page = await openPage(await expiredLink(link, id, 86_400 + 60));
    expect(page.code).toBe('configuration_link_not_found');
  });
});
