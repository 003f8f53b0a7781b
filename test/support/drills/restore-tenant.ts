// The drill of a restore: all builds of a tenant are deleted from its table.

import { liveAgent } from '../flows.ts';
import { tablesOf } from '../own-tables.ts';
import { startTableBackups } from '../table-backups.ts';
import { trigger } from './agent-calls.ts';
import type { DrillHost } from './drill-host.ts';
import { openShell, quoteLine } from './operator-command.ts';
import type { Transcript } from './transcript.ts';

export async function deletedBuilds({ host }: DrillHost): Promise<Transcript> {
  const { environment, endpoints } = host;
  const { CONTROL_TABLE = '', RUNS_TABLE = '' } = environment;
  const plane = await startTableBackups(endpoints.dynamodb, [CONTROL_TABLE, RUNS_TABLE]);
  const shell = openShell({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: plane.url });
  const agent = await liveAgent({});
  await trigger(agent);
  await host.idle();
  await plane.remember();
  const at = new Date().toISOString();
  const tables = tablesOf(environment);
  for (const item of await tables.readAll('control'))
    if (/^AGENT#/.test(item.pk)) await tables.remove('control', item);
  const damaged = await shell.run('verify', []);
  const seen = [
    `\`npm run verify\` exits with ${damaged.code} and prints ${quoteLine(damaged.printed, /^live-pointer, /)}.`,
  ];
  const restored = await shell.run('restore', ['--at', at]);
  const named = JSON.parse(restored.output).tables;
  const verified = await shell.run('verify', ['--control-table', named.control, '--runs-table', named.runs]);
  Object.assign(process.env, { CONTROL_TABLE: named.control, RUNS_TABLE: named.runs });
  const answered = await trigger(agent);
  Object.assign(process.env, { CONTROL_TABLE, RUNS_TABLE });
  await plane.close();
  shell.close();
  return {
    fault: 'Somebody deletes all builds of a tenant from the control table.',
    seen,
    cure: '`npm run restore -- --at` with the time before it makes new tables, and the functions use them.',
    after: [
      `\`npm run verify\` with the new tables exits with ${verified.code} and prints ${quoteLine(verified.printed, /^All agrees/).replace(/\d+ items/, '{n} items')}. A trigger of the live agent is answered ${answered}.`,
    ],
  };
}
