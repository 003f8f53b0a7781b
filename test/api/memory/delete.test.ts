// Deleting what a flow has stored beyond its runs.
import { describe, expect, test } from 'vitest';
import { writeMemoryId } from '#lib/memory/memory-entry.ts';
import { agentUrls, officialClient } from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { deleteEntry, listAll, rememberingFlow, say, storingAgent } from '#test/support/memory.ts';

const idOf = (key: string) => writeMemoryId({ space: 'value', key });

describe('204', () => {
  test('a value is gone, and the others stay', async () => {
    const agent = await storingAgent(['a', 'b']);
    expect((await deleteEntry(agent, idOf('a'))).status).toBe(204);
    expect((await listAll(agent)).map(({ key }) => key)).toEqual(['b']);
  });

  test.each([
    'visits/42',
    '..',
    '%2F',
    'a b+c',
    '#?&=',
    'value:x',
    'ä€𝄞',
    '\u00a0',
    'x'.repeat(200),
    '€'.repeat(200),
  ])('a key may be %j', async (key) => {
    const agent = await storingAgent([key]);
    const [{ memory_id = '' } = {}] = await listAll(agent);
    expect(memory_id).toBe(idOf(key));
    expect((await deleteEntry(agent, memory_id)).status).toBe(204);
    expect(await listAll(agent)).toEqual([]);
  });

  test('the next message of a deleted conversation begins a new one', async () => {
    const agent = await liveAgent({ flow: rememberingFlow() });
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    await say(client, 'one', 'talk');
    await say(client, 'one', 'other talk');
    const items = await listAll(agent);
    const { memory_id = '' } = items.find(({ context_id }) => context_id === 'talk') ?? {};
    await deleteEntry(agent, memory_id);
    expect(await say(client, 'two', 'talk')).toEqual(['user: two']);
    expect(await say(client, 'two', 'other talk')).toHaveLength(3);
  });

  test('a run that has read a conversation before it was deleted brings nothing of it back', async () => {
    const agent = await liveAgent({ flow: rememberingFlow() });
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    await say(client, 'forget me', 'talk');
    const [{ memory_id = '' } = {}] = await listAll(agent);
    const asked = await say(client, 'two', 'talk', async () => {
      expect((await deleteEntry(agent, memory_id)).status).toBe(204);
    });
    expect(asked).toContain('user: forget me');
    // Only what was said in that run, which ended after the deletion.
    expect(await say(client, 'three', 'talk')).toEqual(['user: two', 'assistant: re: two', 'user: three']);
  });

  test('the audit trail names the flow, and not the key', async () => {
    const agent = await storingAgent(['person@example.com']);
    const { headers } = await deleteEntry(agent, idOf('person@example.com'));
    await idle();
    const query = { workspaceid: agent.workspaceid };
    const { items } = (await call('listAudit', { key: agent.key, query })).body;
    expect(items[0]).toMatchObject({
      requestid: headers.get('x-request-id'),
      operation: 'memory/delete',
      resource: agent.flowid,
      status: 204,
    });
    expect(JSON.stringify(items)).not.toContain(idOf('person@example.com'));
  });
});

describe('403', () => {
  test('a key without the permission to delete', async () => {
    const agent = await storingAgent(['a']);
    const { orgid, workspaceid } = agent;
    const reader = await newCaller({ orgid, workspaces: [workspaceid], scopes: ['assistants.flows:read'] });
    const { problem } = await deleteEntry({ ...agent, key: reader.key }, idOf('a'));
    expect(problem.detail).toContain('assistants.flows:delete');
    expect(await listAll(agent)).toHaveLength(1);
  });
});

describe('404', () => {
  test('what is missing, deleted, foreign or no id gives the same error', async () => {
    const agent = await storingAgent(['a', 'b']);
    const other = await newCaller();
    await deleteEntry(agent, idOf('b'));
    const answers = [
      await deleteEntry({ ...agent, key: other.key }, idOf('a')),
      await deleteEntry({ ...agent, flowid: unique('flow') }, idOf('a')),
      await deleteEntry(agent, idOf('a'), 'test'),
      await deleteEntry(agent, idOf('b')),
      await deleteEntry(agent, writeMemoryId({ space: 'conversation', key: 'a' })),
      await deleteEntry(agent, 'value.-A'),
      // Another spelling of the same bytes.
      await deleteEntry(agent, `${idOf('a')}A`),
    ];
    const [first] = answers;
    expect(first?.problem.code).toBe('memory_not_found');
    for (const { problem } of answers) expect(problem.detail).toBe(first?.problem.detail);
    expect(await listAll(agent)).toHaveLength(1);
  });
});
