import { expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { liveAgent } from '#test/support/flows.ts';

test('a task with a long text is returned completely, including surrogate pairs', async () => {
  const agent = await liveAgent();
  const client = await officialClient(agentUrls(agent).agent, agent.key);
  // Whatever stands before it: at one of two parities every cut between two units would be inside a
  // character.
  for (const said of [0, 1].map((n) => `${'x'.repeat(n)}${'😀'.repeat(12_000)}`)) {
    const { id } = asTask(await client.sendMessage(sending(said)));
    const task = await client.getTask({ id, tenant: '', historyLength: undefined });
    expect(task.artifacts[0]?.parts[0]?.content?.value).toBe(said);
  }
});
