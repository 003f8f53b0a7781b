// `agent-flow runs` and `logs`: what runs have done.
import { Command, Option } from '@commander-js/extra-typings';
import type { Result } from '../api/operations.ts';
import type { Target } from '../api/target.ts';
import { exitCodes } from '../exit-codes.ts';
import { count, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';

const statuses = ['pending', 'input_required', 'auth_required', 'completed', 'failed', 'canceled'] as const;

export const runs = () =>
  new Command('runs')
    .summary('list runs')
    .description('Lists the runs of a workspace or of one flow, newest first.')
    .argument('[flow]', 'only runs of this flow')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
    .option('--environment <name>', 'only runs in this environment')
    .option('--created-by <id>', 'only runs that this API key or user has begun')
    .option('--replay-of <run>', 'only runs that run this one again: the first 50')
    .option('--fork-of <run>', 'only runs that fork this one: the first 50')
    .option('--since <time>', 'only runs started at this time or later, such as 2027-01-31T00:00:00Z')
    .option('-n, --limit <n>', 'at most this many', count, 20)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (flow, { json, limit, status, environment, since, ...given }) => {
      const { createdBy, replayOf, forkOf, ...options } = given;
      const { findTarget } = await import('../api/target.ts');
      const { listRuns } = await import('../api/list-runs.ts');
      const { takeAll } = await import('../take.ts');
      const target = await findTarget(options);
      const filters = { flowid: flow, status: status && [status], environment, from: since };
      const origin = { created_by: createdBy, replay_of: replayOf, fork_of: forkOf };
      const items = await takeAll(listRuns(target, { ...filters, ...origin }), limit);
      if (json) return printJson({ items });
      if (items.length === 0) return note('There are no such runs.');
      const head = ['STARTED', 'STATUS', 'FLOW', 'BUILD', 'TRIGGER', 'ENVIRONMENT', 'CALLER', 'ID'];
      const rows = items.map((run) => [
        ...[
          run.created_at,
          run.status,
          run.flowid,
          run.build_no,
          run.trigger,
          run.environment,
          nameCaller(run),
          run.workflow_id,
        ],
      ]);
      printTable(head, rows);
    });

/** Runs that an earlier version has stored do not have their caller in lists. */
const nameCaller = ({ created_by, caller_organization }: Result<'listRuns'>['items'][number]): string =>
  created_by ?? (caller_organization === 'other' ? 'another organisation' : 'unknown');

export const logs = () =>
  new Command('logs')
    .summary('show the log of a run')
    .description(
      'Shows the log of a run, or follows it until it ends. Exit code 1 if the run failed or was canceled. With --follow, --json prints one event a line.',
    )
    .argument('<run>', 'the id of the run (workflow_id)')
    .option('-f, --follow', 'show what happens until the run ends')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (run, { json = false, follow = false, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const target = await findTarget(options);
      const status = follow ? await followHere(target, run, json) : await showRun(target, run, json);
      if (status === 'failed' || status === 'canceled') process.exitCode = exitCodes.failure;
    });

/** Returns the last status of the run. */
export async function followHere(target: Target, run: string, asJson: boolean): Promise<string> {
  const { followRun } = await import('../api/follow.ts');
  const { createRunPrinter } = await import('./print-run.ts');
  const printer = createRunPrinter();
  let status = 'pending';
  for await (const event of followRun(target, run)) {
    status = event.status;
    if (asJson) console.log(JSON.stringify(event));
    else printer.event(event);
    if (!asJson && event.status !== 'working' && event.status !== 'pending') printer.end(event);
  }
  return status;
}

async function showRun(target: Target, workflow_id: string, asJson: boolean): Promise<string> {
  const { request } = await import('../api/request.ts');
  const { body } = await request(target, 'getRunDetail', 'Reading the run', { params: { workflow_id } });
  if (asJson) printJson(body);
  else {
    const { logLine } = await import('../print-log.ts');
    for (const entry of body.logs) console.log(logLine(entry));
    const { status, error, response, failure, input_requests, cost_estimate, tokens } = body;
    printLine(`${status}${error === null ? '' : `: ${error}`}`);
    if (failure)
      printLine(`  code ${failure.code}${failure.node_id === undefined ? '' : `, node ${failure.node_id}`}`);
    for (const { prompt } of input_requests ?? []) printLine(`  asks: ${prompt}`);
    if (status === 'completed') printJson(response);
    if (tokens.input + tokens.output > 0)
      note(
        `${tokens.input} tokens in, ${tokens.output} out${cost_estimate === null ? '' : `, about ${cost_estimate} ${body.currency}`}`,
      );
  }
  return body.status;
}
