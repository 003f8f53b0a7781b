// `npm run protocol` lets the official clients of A2A loose on the service: each scenario over each binding, at the live,
// test and agent URL of an agent that acts out every state. It starts a service of its own. `--url URL` tests one that runs
// instead, with the key of the variable API_KEY. The clients for Python are tried if `python3`, or the program that the
// variable PYTHON names, has the package a2a-sdk.
import { parseArgs } from 'node:util';
import { startRequestReceiver } from '#test/support/receiver.ts';
import { runMain } from '#test/support/run-main.ts';
import { columns, type PushReceiver, tryColumn } from './program/columns.ts';
import { startLocalService, type TestedService, useService } from './program/deployment.ts';
import { findPython, tryPython } from './program/python.ts';
import { formatReasons, formatTable, type Result } from './program/table.ts';

/** With one key, clients would disturb one another, so they take turns. */
const lanesLocal = 4;

await runMain(main);

async function main(): Promise<void> {
  // The SDK prints each signature that it does not verify, also where another one of the card is valid.
  console.debug = () => {};
  const { values } = parseArgs({ options: { url: { type: 'string' } } });
  const { BASE_URL, API_KEY } = process.env;
  const url = values.url ?? BASE_URL;
  if (url && !API_KEY)
    throw new Error('Set API_KEY to a key of the service: it may create, promote and delete builds.');
  const service = url ? await useService(url, API_KEY ?? '') : await startLocalService();
  const receiver = service.isLocal ? await startRequestReceiver() : undefined;
  try {
    const python = await findPython();
    if ('missing' in python) console.log(`Without clients for Python: ${python.missing}\n`);
    const ofPython = async () => ('missing' in python ? [] : await tryPython(python, service));
    const ofJavaScript = tryColumns(service, receiver);
    if (!service.isLocal) await ofJavaScript;
    report((await Promise.all([ofJavaScript, ofPython()])).flat());
  } finally {
    await receiver?.close();
    await service.close();
  }
}

async function tryColumns(service: TestedService, receiver: PushReceiver): Promise<Result[]> {
  const left = [...columns];
  const results: Result[] = [];
  const lanes = Array.from({ length: service.isLocal ? lanesLocal : 1 }, async () => {
    for (let column = left.shift(); column; column = left.shift())
      results.push(...(await tryColumn(column, service, receiver)));
  });
  await Promise.all(lanes);
  return results;
}

function report(results: readonly Result[]): void {
  console.log(formatTable(results));
  const notOffered = formatReasons(results, 'not offered');
  if (notOffered) console.log(`\nNot offered:\n${notOffered}`);
  const failures = formatReasons(results, 'fail');
  if (failures) console.log(`\nFailed:\n${failures}`);
  const count = (outcome: Result['outcome']) => results.filter((each) => each.outcome === outcome).length;
  console.log(`\n${count('pass')} passed, ${count('fail')} failed`);
  if (count('fail') > 0) process.exitCode = 1;
}
