import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

describe('204', () => {
  test('the flow accepts events without signatures again', async () => {
    const agent = await liveAgent();
    const params = { flow_id: agent.flowid };
    const at = { key: agent.key, params, query: { workspaceid: agent.workspaceid } };
    await call('setWebhookSecret', { ...at, body: {} });
    await call('deleteWebhookSecret', at);
    expect((await call('getWebhookSecret', at)).status).toBe(404);
    const event = { key: agent.key, params, body: { event: 'ticket.closed' } };
    expect((await call('acceptWebhook', event)).status).toBe(202);
  });
});

describe('404', () => {
  test('a flow without a secret, also after it was deleted', async () => {
    const { key, workspaceid } = await newCaller();
    const at = { key, params: { flow_id: unique('flow') }, query: { workspaceid } };
    await call('setWebhookSecret', { ...at, body: {} });
    await call('deleteWebhookSecret', at);
    expect((await call('deleteWebhookSecret', at)).problem.code).toBe('signing_secret_not_found');
  });
});
