import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { signed } from '#test/support/signing.ts';

type FlowScope = Pick<TestAgent, 'key' | 'flowid' | 'workspaceid'>;
const at = ({ key, flowid, workspaceid }: FlowScope) => ({
  key,
  params: { flow_id: flowid },
  query: { workspaceid },
});
const set = (agent: FlowScope, body: object = {}) => call('setWebhookSecret', { ...at(agent), body });
const setSecret = async (agent: FlowScope, body: object = {}) => (await set(agent, body)).body.secret ?? '';
/** The status of an event that is signed with a secret. */
async function sent(agent: FlowScope, secret: string) {
  const text = '{"event":"ticket.closed"}';
  const { key, params } = at(agent);
  const headers = signed({ secret, body: text, id: unique('event') });
  return (await call('acceptWebhook', { key, params, text, headers })).status;
}
const given = () => `whsec_${Buffer.from(unique('a secret of 24 bytes')).toString('base64')}`;

describe('200', () => {
  test('a secret that the service generates is shown once, and events must be signed with it', async () => {
    const agent = await liveAgent();
    const { body } = await set(agent);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.secrets).toEqual([{ created_at: expect.any(String) }]);
    expect((await call('getWebhookSecret', at(agent))).text).not.toContain('whsec');
    expect(await sent(agent, body.secret ?? '')).toBe(202);
    expect(await sent(agent, given())).toBe(401);
  });

  test('a secret in the request is used, and not shown again', async () => {
    const agent = await liveAgent();
    const secret = given();
    expect((await set(agent, { secret })).text).not.toContain(secret);
    expect(await sent(agent, secret)).toBe(202);
  });

  test('both secrets are valid during a rotation, the new one at once', async () => {
    const agent = await liveAgent();
    const first = await setSecret(agent);
    expect(await sent(agent, first)).toBe(202);
    const second = await setSecret(agent);
    expect([await sent(agent, second), await sent(agent, first)]).toEqual([202, 202]);
  });

  test('the former secret expires at once if the request says so', async () => {
    const agent = await liveAgent();
    const first = await setSecret(agent);
    const { body } = await set(agent, { keep_former_hours: 0 });
    expect(body.secrets).toHaveLength(1);
    expect([await sent(agent, body.secret ?? ''), await sent(agent, first)]).toEqual([202, 401]);
  });

  test('a secret that is sent again changes nothing, and at most five are valid', async () => {
    const agent = await liveAgent();
    const secret = given();
    const first = (await set(agent, { secret })).body;
    expect((await set(agent, { secret })).body.secrets).toEqual(first.secrets);
    for (let n = 0; n < 6; n += 1) expect((await set(agent)).body.secrets.length).toBeLessThanOrEqual(5);
  });
});

describe('400', () => {
  test.each([
    [{ secret: 'whsec_' }, '/body/secret'],
    [{ secret: 'whsec_AAAA' }, '/body/secret'],
    [{ secret: Buffer.alloc(32).toString('base64') }, '/body/secret'],
    [{ secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, '/body/secret'],
    [{ keep_former_hours: 169 }, '/body/keep_former_hours'],
    [{ kind: 'callback' }, '/body/kind'],
  ])('a body of %j is refused with a pointer to the mistake', async (body, pointer) => {
    const { problem } = await set({ ...(await newCaller()), flowid: unique('flow') }, body);
    expect(problem.errors?.map((each) => each.pointer)).toContain(pointer);
    expect(JSON.stringify(problem)).not.toContain('AAAA');
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const { key } = await newCaller({ workspaces: [unique('ws')] });
    const { problem } = await set({ key, workspaceid: unique('ws'), flowid: unique('flow') });
    expect(problem.code).toBe('permission_denied');
  });
});

describe('409', () => {
  test('of secrets that are set at the same time, each that was returned is valid', async () => {
    const agent = await liveAgent();
    const answers = await Promise.all([1, 2, 3, 4].map(() => set(agent)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeGreaterThan(0);
    for (const { problem } of answers.filter(({ status }) => status !== 200))
      expect(problem).toMatchObject({ status: 409, code: 'version_conflict' });
    for (const { body } of won) expect(await sent(agent, body.secret ?? '')).toBe(202);
  });
});
