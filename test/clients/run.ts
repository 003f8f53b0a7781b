// `npm run clients` lets real MCP clients loose on the connector of the service as `npm start` runs it: they are refused,
// sign a sample user in, are allowed by that user, and call an agent to its end. No browser is opened: a person is acted
// out who follows the addresses that the clients print or open.
import { runMain } from '#test/support/run-main.ts';
import { inspectors } from './program/inspector.ts';
import { mcpRemote } from './program/mcp-remote.ts';
import { sdkClients } from './program/sdk.ts';
import { startTestedService } from './program/service.ts';
import { formatFailures, formatTable, type Result, type TriedClient, tryClient } from './program/table.ts';

/** A client that waits for what never comes fails the program. */
const minutesMax = 5;
setTimeout(() => {
  console.error(`The clients have not ended after ${minutesMax} minutes.`);
  process.exit(1);
}, minutesMax * 60_000).unref();

await runMain(main);
// Ends clients that still wait, for example for a sign-in that has failed.
process.exit();

async function main(): Promise<void> {
  const service = await startTestedService();
  // Where test support that knows one service of its own looks for it.
  process.env.OWN_SERVICE_URL = service.baseUrl;
  try {
    const clients = [...sdkClients(service), mcpRemote(service), ...inspectors(service)];
    const results = await tryInTurn(clients);
    console.log(formatTable(clients, results));
    const failures = formatFailures(results);
    if (failures) console.log(`\nFailed:\n${failures}`);
    if (failures) process.exitCode = 1;
  } finally {
    await service.close();
  }
}

/** The service limits the requests of one network address, which all of them have. */
async function tryInTurn(clients: readonly TriedClient[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const client of clients) results.push(...(await tryClient(client)));
  return results;
}
