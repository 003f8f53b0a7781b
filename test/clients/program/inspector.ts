// The command line of MCP Inspector, in both eras: one process per request. The first one registers (DCR) and signs in.
import { join } from 'node:path';
import * as z from 'zod';
import { freePort } from '#lib/local/listen.ts';
import { type CallTool, callToEnd, requireListed, requireTools } from './call.ts';
import { allowPrinted, findProgram, newEnvironment, startProgram } from './child.ts';
import { nameOf } from './name.ts';
import type { TestedService } from './service.ts';
import type { Step, TriedClient } from './table.ts';

const eras = { modern: '2026-07-28', legacy: '2025-11-25' } as const;

export const inspectors = (service: TestedService): readonly TriedClient[] =>
  (['modern', 'legacy'] as const).map((era) => ({
    name: `${nameOf('@modelcontextprotocol/inspector')}, ${eras[era]}, DCR`,
    steps: ['sign-in', 'sign-in kept', 'tools', 'list', 'auth required', 'input required', 'completed'],
    run: async (step) => await run(service, era, step),
  }));

const program = findProgram(
  import.meta.resolve('@modelcontextprotocol/inspector/package.json'),
  'mcp-inspector',
);

const tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });

async function run(service: TestedService, era: keyof typeof eras, step: Step): Promise<void> {
  const { connectorUrl, folder, newAgent } = service;
  const env = await newEnvironment(join(folder, `of-inspector-${era}`));
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const start = (args: readonly string[]) => {
    const own = ['--cli', connectorUrl, '--transport', 'http', '--protocol-era', era];
    return startProgram(program, [...own, '--callback-url', callback, '--format', 'json', ...args], env);
  };
  const agent = await newAgent();
  // It exits with 6 where other hosts could not use a schema.
  const listTools = ['--method', 'tools/list', '--strict'];
  await step('sign-in', async () => {
    const first = start(listTools);
    await Promise.all([allowPrinted(first.child.stderr), first.ended]);
    await requireOutput(first);
  });
  const listed = await step('sign-in kept', async () => await requireOutput(start(listTools)));
  await step('tools', async () => requireTools(tools.parse(listed).tools.map(({ name }) => name)));
  const callTool: CallTool = async (name, args) =>
    await requireOutput(
      start(['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)]),
    );
  await step('list', async () => requireListed(await callTool('list_agents', {}), agent));
  await callToEnd(step, agent, callTool);
}

const printedResult = z.object({ result: z.unknown() });

/** The result that it has printed, once it has ended well. */
async function requireOutput({ ended, output, printed }: ReturnType<typeof startProgram>): Promise<unknown> {
  const code = await ended;
  if (code !== 0) throw new Error(`It exits with ${code}:\n${printed()}`);
  return printedResult.parse(JSON.parse(output())).result;
}
