// The audit records of values that are stored through a link, read as their readers read them.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fillIn, openPage, submitForm, waitingTask } from '#test/support/agent-config.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';

const crm = { type: 'http_bearer', hosts: ['api.crm.example'], label: 'The CRM', scope: 'user' };
const secret = 'hunter2-hunter2-hunter2';

/** The records about the page, with the text of the answer: of a workspace, or those that belong to none. */
async function readTrail(orgid: string, workspaceid?: string) {
  await idle();
  const reader = await newCaller({ orgid, scopes: ['audit:read'] });
  const { body, text } = await call('listAudit', {
    key: reader.key,
    query: { ...(workspaceid && { workspaceid }) },
  });
  return { records: body.items.filter(({ operation }) => operation.startsWith('agent-config/')), text };
}

describe('a value that was stored through a link', () => {
  test('is one record: who, when, which connection, and the task and link, but neither token nor value', async () => {
    const { agent, id, link } = await waitingTask({ crm });
    const before = Date.now();
    const sent = await fillIn(link, { token: secret });
    expect(sent.status).toBe(303);
    const { records, text } = await readTrail(agent.orgid, agent.workspaceid);
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(records).toEqual([
      {
        at: expect.any(String),
        requestid: sent.headers.get('x-request-id'),
        operation: 'agent-config/store',
        caller: agent.id,
        orgid: agent.orgid,
        workspaceid: agent.workspaceid,
        resource: 'crm',
        link: expect.stringMatching(new RegExp(`^${id}#[0-9a-f]{12}$`)),
        status: 303,
      },
    ]);
    expect(Date.parse(records[0]?.at ?? '')).toBeGreaterThanOrEqual(before);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(token);
    expect(text).not.toContain(createHash('sha256').update(secret).digest('hex').slice(0, 12));
  });

  test('is in the trail of the organisation whose key started the task, not in that of the agent', async () => {
    const agent = await liveAgent({ flow: flow({ connections: { crm } }), visibility: 'public' });
    const stranger = await newCaller();
    const { link } = await waitingTask({}, { ...agent, key: stranger.key, id: stranger.id });
    expect((await fillIn(link, { token: secret })).status).toBe(303);
    const { records } = await readTrail(stranger.orgid);
    expect(records).toMatchObject([{ caller: stranger.id, orgid: stranger.orgid, resource: 'crm' }]);
    expect(records[0]).not.toHaveProperty('workspaceid');
    expect((await readTrail(agent.orgid, agent.workspaceid)).records).toEqual([]);
  });
});

test('a page that is opened, and a form that stores nothing, leave no record', async () => {
  const { agent, id, link } = await waitingTask({ crm });
  expect((await openPage(link)).status).toBe(200);
  expect((await fillIn(link, { token: '' })).status).toBe(400);
  const forged = {
    task_id: id,
    token: 'forged',
    connection: 'crm',
    action: 'store',
    'credential.token': secret,
  };
  expect((await submitForm(link, forged)).status).toBe(404);
  expect((await readTrail(agent.orgid, agent.workspaceid)).records).toEqual([]);
});

test('a form that is sent twice is one record', async () => {
  const { agent, link } = await waitingTask({ crm });
  const sent = await Promise.all([1, 2, 3].map(() => fillIn(link, { token: secret })));
  expect(sent.filter(({ status }) => status === 303)).toHaveLength(1);
  expect((await readTrail(agent.orgid, agent.workspaceid)).records).toHaveLength(1);
});
