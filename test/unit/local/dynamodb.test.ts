// The start of the DynamoDB engine on a port that another process takes first.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { awsJson } from '#lib/local/aws-json.ts';
import { startDynamoDb } from '#lib/local/dynamodb.ts';
import { engineCommand, type Machine, thisMachine } from '#lib/local/dynamodb-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An engine that finds its port taken as often as `times` says, and is the real one then. */
function machineWithTakenPorts(times: number): Machine {
  const { program } = engineCommand('dynoxide', thisMachine, 0, undefined);
  const starts = join(folder, `starts-${times}`);
  const script = `#!/bin/sh
echo start >> ${starts}
[ "$(wc -l < ${starts})" -gt ${times} ] && exec ${program} "$@"
echo "error: port is already in use" >&2
exit 1
`;
  writeFileSync(join(folder, 'dynoxide'), script, { mode: 0o755 });
  return { ...thisMachine, packageFolder: () => folder };
}

const canRun = thisMachine.packageFolder(`@dynoxide/${process.platform}-${process.arch}`) !== undefined;

test.runIf(canRun)('an engine whose port was taken is started again on another port', async () => {
  const engine = await startDynamoDb(undefined, machineWithTakenPorts(2), 'dynoxide');
  expect(await awsJson(engine.endpoint, 'DynamoDB_20120810.ListTables', {})).toEqual({ TableNames: [] });
  await engine.close();
});

test.runIf(canRun)('an engine that finds three ports taken is an error with its reason', async () => {
  await expect(startDynamoDb(undefined, machineWithTakenPorts(3), 'dynoxide')).rejects.toThrow(
    'already in use',
  );
});
