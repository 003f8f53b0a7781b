// The drill of moving an organisation: its import into another tenant is interrupted.

import { writeFileSync } from 'node:fs';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { startAwsProxy, type Verdict } from '../aws-proxy.ts';
import { liveAgent } from '../flows.ts';
import { forkHost } from '../forked-host.ts';
import { trigger } from './agent-calls.ts';
import type { DrillHost } from './drill-host.ts';
import { openShell, quoteLine } from './operator-command.ts';
import type { Transcript } from './transcript.ts';

export async function interruptedImport({ host }: DrillHost): Promise<Transcript> {
  const shell = openShell(host.environment);
  const agent = await liveAgent({});
  await trigger(agent);
  await host.idle();
  const identity = await generateX25519Identity();
  writeFileSync(shell.fileNamed('identity.txt'), `${identity}\n`);
  const archive = shell.fileNamed('organisation.age');
  const recipient = await identityToRecipient(identity);
  await shell.run('export', ['--org', agent.orgid, '--out', archive, '--recipient', recipient]);
  const target = await forkHost({ tenantId: 'local' });
  const { environment } = target.service;
  let writes = 0;
  const judge = (operation: string): Verdict => {
    if (operation === 'BatchWriteItem') writes += 1;
    return operation === 'BatchWriteItem' && writes > 2 ? denied : 'pass';
  };
  const proxy = await startAwsProxy(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', judge);
  const interrupted = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  const args = ['--in', archive, '--identity', shell.fileNamed('identity.txt')];
  const failed = await shell.run('import', args, { environment: interrupted });
  const repeated = await shell.run('import', args, { environment });
  const resumed = await shell.run('import', [...args, '--resume'], { environment });
  const verified = await shell.run('verify', [], { environment });
  await proxy.close();
  await target.stop();
  shell.close();
  return {
    fault: 'The role of the operator loses its permission to write while an organisation is imported.',
    seen: [
      `\`npm run import\` exits with ${failed.code} and prints ${quoteLine(failed.printed, /--resume continues/).replace(/ The region and .*/, '`')}. The same command again exits with ${repeated.code}: ${quoteLine(repeated.printed, /was interrupted/).replace(agent.orgid, '{orgid}')}.`,
    ],
    cure: 'The permission is given back, and `npm run import -- … --resume` runs.',
    after: [
      `It exits with ${resumed.code}. \`npm run verify\` exits with ${verified.code} and prints ${quoteLine(verified.printed, /^All agrees/).replace(/\d+ items/, '{n} items')}.`,
    ],
  };
}

const denied: Verdict = { status: 400, error: { __type: 'AccessDeniedException', message: 'Not allowed.' } };
