// `agent-flow run`: runs a flow in this process, without a service.
import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { collect, collectHost, collectPair, flowArgument, jsonOption, type Pairs } from '../options.ts';
import { note, printJson } from '../print.ts';
import { writeNamedFile } from '../write-result.ts';

interface RunSettings {
  readonly message?: string;
  readonly var?: Pairs;
  readonly event?: string;
  readonly env?: Pairs;
  readonly answer?: readonly string[];
  readonly connections?: string;
  readonly allowPrivate?: readonly string[];
  readonly log?: string;
  readonly json?: true;
}

const more = `
A connection that the flow declares comes from the file, or from the variable CONNECTION_<NAME> with the same
JSON: {"type": "http_bearer", "hosts": ["api.example.com"], "credential": {"token": "…"}}.
The variables MODELS and MODEL_DEFAULT configure the models (docs/flows.md). Without them, the scripted demo
model answers.`;

export const run = () =>
  new Command('run')
    .summary('run a flow here, without a service')
    .description(
      'Runs a flow in this process. Progress goes to stderr, the result as JSON to stdout. Exit code 1 if the run does not complete.',
    )
    .argument(...flowArgument)
    .option('-m, --message <text>', 'the message that starts the run')
    .option(
      '--var <name=text>',
      'a user variable; name:=json sets a JSON value; can be repeated',
      collectPair,
    )
    .option('--event <file>', 'a JSON file with the body of a webhook that starts the run')
    .option('--env <name=text>', 'an environment variable of the build; can be repeated', collectPair)
    .option(
      '--answer <text>',
      'the answer to a question of the flow, in order; can be repeated. Without one, the terminal asks',
      collect,
    )
    .option('--connections <file>', 'a file with credentials, by the names of connections')
    .option(
      '--allow-private <host:port>',
      'a local host that the flow may reach; can be repeated',
      collectHost,
    )
    .option('--log <file>', 'write the result and its log to this file, for `draw --log`')
    .option(...jsonOption)
    .addHelpText('after', more)
    .action(async (file, options) => {
      if (!(await runFile(file, options))) process.exitCode = exitCodes.failure;
    });

/** Whether the run completed. */
async function runFile(file: string, settings: RunSettings): Promise<boolean> {
  const { requireChecked } = await import('../read-flow.ts');
  const { openRuntimePorts } = await import('../runtime-ports.ts');
  const { flow } = await requireChecked(file, settings.json ?? false);
  const { readEvent } = await import('../webhook-event.ts');
  const event = settings.event === undefined ? undefined : await readEvent(settings.event);
  const input = {
    message: settings.message ?? '',
    user_variables: settings.var ?? {},
    ...(event !== undefined && { event }),
  };
  const { readConnections } = await import('../local-connections.ts');
  const connections = await readConnections(flow.connections ?? {}, settings.connections, process.env);
  for (const hint of connections.hints) note(hint);
  const runtime = await openRuntimePorts(settings.allowPrivate ?? [], connections);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    if (runtime.isScripted)
      note('The environment variable MODELS is not set: the scripted demo model answers.');
    const { runFlowHere } = await import('../run-flow-here.ts');
    const { createProgress } = await import('../progress.ts');
    const { createAsk } = await import('../answers.ts');
    const { logs, ...result } = await runFlowHere(flow, {
      runId: randomUUID(),
      input,
      env: settings.env ?? {},
      ports: runtime.ports,
      progress: createProgress((text) => process.stderr.write(text)),
      ask: createAsk(settings.answer ?? [], process.stdin.isTTY),
      signal: interrupted.signal,
    });
    if (settings.log !== undefined)
      await writeNamedFile(settings.log, `${JSON.stringify({ ...result, logs }, undefined, 2)}\n`);
    printJson(result);
    return result.status === 'completed';
  } finally {
    await runtime.close();
  }
}
