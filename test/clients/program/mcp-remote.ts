// mcp-remote, which connects assistants that can only start programs: it registers (DCR), opens a browser, and hands
// messages on. Its second program uses what the first one has stored.
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { callToEnd, requireEqual, requireIncludes, requireListed, requireTools } from './call.ts';
import { allowPrinted, findProgram, newEnvironment, startProgram } from './child.ts';
import { nameOf } from './name.ts';
import type { TestedService } from './service.ts';
import type { Step, TriedClient } from './table.ts';

export const mcpRemote = (service: TestedService): TriedClient => ({
  name: `${nameOf('mcp-remote')}, 2025-11-25, DCR`,
  steps: ['sign-in', 'tools', 'list', 'auth required', 'input required', 'completed', 'sign-in kept'],
  run: async (step) => await run(service, step),
});

const findBin = (name: string): string => findProgram(import.meta.resolve('mcp-remote/package.json'), name);

async function run({ connectorUrl, folder, newAgent }: TestedService, step: Step): Promise<void> {
  const env = await newEnvironment(join(folder, 'of-mcp-remote'));
  const agent = await newAgent();
  const args = [connectorUrl, '--allow-http'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [findBin('mcp-remote'), ...args],
    env,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'clients', version: '1' });
  try {
    await step('sign-in', async () => {
      const { stderr } = transport;
      if (!(stderr instanceof Readable)) throw new Error('The program has no stderr.');
      await Promise.all([client.connect(transport), allowPrinted(stderr)]);
      requireEqual(client.getNegotiatedProtocolVersion(), '2025-11-25');
    });
    await step('tools', async () => requireTools((await client.listTools()).tools.map(({ name }) => name)));
    const callTool = async (name: string, given: object) =>
      await client.callTool({ name, arguments: { ...given } });
    await step('list', async () => requireListed(await callTool('list_agents', {}), agent));
    await callToEnd(step, agent, callTool);
  } finally {
    await client.close();
  }
  await step('sign-in kept', async () => {
    const second = startProgram(findBin('mcp-remote-client'), args, env);
    requireEqual(await second.ended, 0);
    requireIncludes(second.printed(), '"name": "call_agent"');
  });
}
