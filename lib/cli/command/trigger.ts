// `agent-flow trigger`: starts a run of the service.
import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import type { Target } from '../api/target.ts';
import { exitCodes } from '../exit-codes.ts';
import { collectPair, jsonOption, type Pairs, profileOption, workspaceOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';

export const trigger = () =>
  new Command('trigger')
    .summary('start a run')
    .description(
      'Starts a run of a flow in an environment and prints its result: waits for it, up to 150 s, or follows it, or leaves it in the background. Exit code 1 if the run does not complete.',
    )
    .argument('<trigger>', 'a flow, or the id of a declared trigger (trg_…)')
    .option('-m, --message <text>', 'the message that starts the run', '')
    .option(
      '--var <name=text>',
      'a user variable; name:=json sets a JSON value; can be repeated',
      collectPair,
    )
    .option('-e, --environment <name>', 'the environment', 'live')
    .option('-f, --follow', 'show what happens until the run ends, however long that takes')
    .option('-b, --background', 'do not wait; print the id of the run')
    .option('--event <file>', 'send the JSON of this file as the event of a webhook, instead of a message')
    .option(
      '--idempotency-key <key>',
      'start once, however often the command runs with this key within 24 hours',
    )
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (trigger, { profile, workspace, ...settings }) => {
      const { findTarget } = await import('../api/target.ts');
      const target = await findTarget({
        ...(profile !== undefined && { profile }),
        ...(workspace !== undefined && { workspace }),
      });
      if (!(await start(target, trigger, settings))) process.exitCode = exitCodes.failure;
    });

interface Settings {
  readonly message: string;
  readonly var?: Pairs | undefined;
  readonly environment: string;
  readonly follow?: true | undefined;
  readonly background?: true | undefined;
  readonly event?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly json?: true | undefined;
}

/** Whether the run completed, or was started if nobody waits for it. */
async function start(target: Target, trigger: string, settings: Settings): Promise<boolean> {
  const { event, follow, background, json = false } = settings;
  if (event === undefined && !follow && !background) return await startAndWait(target, trigger, settings);
  const id =
    event === undefined ? await startRun(target, trigger, settings) : await sendEvent(target, trigger, event);
  if (follow) {
    const { followHere } = await import('./runs.ts');
    return (await followHere(target, id, json)) === 'completed';
  }
  if (json) printJson({ workflow_id: id });
  else printLine(id);
  return true;
}

async function startAndWait(target: Target, trigger_id: string, settings: Settings): Promise<boolean> {
  const { request } = await import('../api/request.ts');
  const { requireWorkspace } = await import('../api/target.ts');
  const { body } = await request(target, 'triggerFlow', 'Running the flow', {
    params: { workspace_id: requireWorkspace(target), trigger_id, environment: settings.environment },
    body: toBody(settings),
  });
  const { logs, ...result } = body;
  if (!settings.json) {
    const { logLine } = await import('../print-log.ts');
    for (const entry of logs) console.error(logLine(entry));
  }
  printJson(settings.json ? body : result);
  return body.status === 'completed';
}

const toBody = ({ message, var: variables }: Settings) => ({
  message,
  ...(variables && { user_variables: variables }),
});

async function startRun(target: Target, trigger_id: string, settings: Settings): Promise<string> {
  const { request } = await import('../api/request.ts');
  const { requireWorkspace } = await import('../api/target.ts');
  const { body } = await request(target, 'startRun', 'Starting the run', {
    params: { workspace_id: requireWorkspace(target), trigger_id, environment: settings.environment },
    body: toBody(settings),
    headers: { 'idempotency-key': settings.idempotencyKey ?? randomUUID() },
  });
  return body.workflow_id;
}

async function sendEvent(target: Target, flow_id: string, file: string): Promise<string> {
  const { request } = await import('../api/request.ts');
  const { readEvent } = await import('../webhook-event.ts');
  const { body } = await request(target, 'acceptWebhook', 'Sending the event', {
    params: { flow_id },
    body: await readEvent(file),
  });
  return body.triggerId;
}
