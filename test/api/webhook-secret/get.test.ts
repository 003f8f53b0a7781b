import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const flowid = unique('flow');
const at = ({ key, workspaceid }: { key: string; workspaceid: string }) => ({
  key,
  params: { flow_id: flowid },
  query: { workspaceid },
});

describe('200', () => {
  test('shows when each secret was created and when the former ones expire, newest first', async () => {
    const caller = await newCaller();
    await call('setWebhookSecret', { ...at(caller), body: {} });
    const { body } = await call('setWebhookSecret', { ...at(caller), body: { keep_former_hours: 2 } });
    const { secret: _, effective_at: __, ...rest } = body;
    expect((await call('getWebhookSecret', at(caller))).body).toEqual(rest);
    const [newest, former] = rest.secrets;
    expect(newest).not.toHaveProperty('expires_at');
    const kept = Date.parse(former?.expires_at ?? '') - Date.parse(newest?.created_at ?? '');
    expect(kept).toBe(2 * 3_600_000);
  });
});

describe('404', () => {
  test('a flow without a secret and one of another organisation give the same error', async () => {
    const [own, other] = [await newCaller(), await newCaller()];
    await call('setWebhookSecret', { ...at(other), body: {} });
    const asked = { ...own, workspaceid: other.workspaceid };
    for (const caller of [own, asked])
      expect((await call('getWebhookSecret', at(caller))).problem.code).toBe('signing_secret_not_found');
  });
});
