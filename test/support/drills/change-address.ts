// The drill of a change of the address. A proxy in front of the host stands for the domain of the former address: closing
// it removes the domain. The new address is that of the host.
import { AgentCard } from '@a2a-js/sdk';
import { startAwsProxy } from '../aws-proxy.ts';
import { newRow } from '../builders.ts';
import { newCaller, type TestCaller } from '../caller.ts';
import { call } from '../client.ts';
import { liveAgent } from '../flows.ts';
import { asTask, clientFactory, sending } from '../official-client.ts';
import type { DrillHost } from './drill-host.ts';
import { openShell, quoteLine } from './operator-command.ts';
import type { Transcript } from './transcript.ts';

export async function changedAddress({ host }: DrillHost): Promise<Transcript> {
  const shell = openShell(host.environment);
  const former = await startAwsProxy(host.baseUrl);
  const next = host.baseUrl;
  const job = async (...options: string[]) => {
    const args = ['--function', 'Migrate', 'addresses', ...options];
    return (await shell.run('migrate', args, { names: 'itself' })).printed;
  };
  serveAt(former.url);
  await job();
  const caller = await newCaller();
  const agent = await liveAgent({}, caller);
  const rows = [agent.a2aregistryid, (await newRow(caller, { flowid: agent.flowid })).a2aregistryid];
  const held = await readCard(caller, agent.a2aregistryid);

  serveAt(next, former.url);
  const seen = [
    `Rows with the former address: ${await countRows(caller, rows, former.url)} of ${rows.length}. A client with the former card is answered: ${await ask(held, caller)}.`,
  ];
  await job();
  const signed = await countRows(caller, rows, next);
  const repeated = quoteLine(await job(), /0 changed, 0 failed/);
  const meanwhile = await ask(held, caller);

  serveAt(next);
  await former.close();
  const refused = await ask(held, caller);
  const read = await ask(await readCard(caller, agent.a2aregistryid), caller);
  serveAt(former.url, next);
  const late = [(await newRow(caller, { flowid: agent.flowid })).a2aregistryid];
  serveAt(next);
  const stale = await countRows(caller, late, former.url);
  const mended = quoteLine(await job(), /: done/);
  const left = await countRows(caller, late, former.url);
  shell.close();
  return {
    fault:
      'The tenant has a new address, its rows still name the former one, and so does the card of a client.',
    seen,
    cure: 'The job `addresses` runs as in step 5, and once more. The former address is then removed as in step 7.',
    after: [
      `Rows with the new address: ${signed} of ${rows.length}; the second run prints ${nameless(repeated)}. Before step 7 the client is answered: ${meanwhile}. After it: ${refused}; with the card that it reads at the new address: ${read}.`,
      `A function of the deployment before registers a build after the job: ${stale} row with the former address. The job prints ${nameless(mended)}; ${left} are left.`,
    ],
  };
}

/** As the deployment of a tenant file with these addresses, the first one first. */
function serveAt(first: string, ...others: readonly string[]): void {
  process.env.GATEWAY_URL = first;
  if (others.length === 0) delete process.env.OTHER_ADDRESSES;
  else process.env.OTHER_ADDRESSES = others.join(',');
}

const readRow = async ({ key }: TestCaller, a2aregistryid: string) =>
  (await call('getRegistryRow', { key, params: { a2aregistryid } })).body;
const readCard = async (caller: TestCaller, id: string) => (await readRow(caller, id)).agent_card;

async function countRows(caller: TestCaller, ids: readonly string[], address: string): Promise<number> {
  const rows = await Promise.all(ids.map((id) => readRow(caller, id)));
  return rows.filter(({ hosted_url }) => hosted_url.startsWith(`${address}/`)).length;
}

/** The state of the task, or that nobody answers. */
async function ask(card: unknown, { key }: TestCaller): Promise<string> {
  const client = await clientFactory(key).createFromAgentCard(AgentCard.fromJSON(card));
  return await client.sendMessage(sending('hello')).then(
    (result) => (asTask(result).status?.state === 3 ? 'the task is completed' : 'the task is not completed'),
    () => 'the connection is refused',
  );
}

/** Without what other drills have stored, and when. */
const nameless = (line: string): string =>
  line.replace(/\d+ items seen/, '{n} items seen').replace(/, started \S+?(?=`)/, '');
