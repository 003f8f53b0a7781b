// `agent-flow answer` and `cancel`: what somebody decides about a run in progress.
import { Command } from '@commander-js/extra-typings';
import type { Json } from '#lib/json/json.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { jsonOption, profileOption, workspaceOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';
import { programName } from '../program-name.ts';

const runArgument = ['<run>', 'the id of the run (workflow_id)'] as const;

export const answer = () =>
  new Command('answer')
    .summary('answer what a run asks')
    .description(
      'Answers the question of a run, such as `approve` or `deny` for an approval. Without an answer, a run that waits for connections looks for them again.',
    )
    .argument(...runArgument)
    .argument('[answer]', 'a text; with --as-json any JSON value')
    .option('--question <id>', 'the question that is answered, if the run has asked several (input_requests)')
    .option('--as-json', 'read the answer as JSON, such as {"approved": true}')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (run, given, { json, question, asJson, ...options }, command) => {
      const value = asJson && given !== undefined ? tryParse(given) : given;
      if (asJson && value === undefined) command.error('--as-json expects an answer that is JSON.');
      const { target, request, workspace_id } = await connect(options);
      const { body } = await request(target, 'resumeRun', 'Answering the run', {
        params: { workspace_id, workflow_id: run },
        body: { ...(value !== undefined && { answer: value as Json }), ...(question && { id: question }) },
      });
      if (json) printJson(body);
      else printLine(`${run} continues. \`${programName()} logs ${run} --follow\` shows it.`);
    });

export const cancel = () =>
  new Command('cancel')
    .summary('cancel a run')
    .description('Cancels a run: nodes in progress are ended within a second, and no node begins anymore.')
    .argument(...runArgument)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (run, { json, ...options }) => {
      const { target, request, workspace_id } = await connect(options);
      const params = { workspace_id, workflow_id: run };
      const { body } = await request(target, 'cancelRun', 'Canceling the run', { params });
      if (json) printJson(body);
      else printLine(`${run} is ${body.status}.`);
    });

async function connect(options: { readonly profile?: string; readonly workspace?: string }) {
  const { findTarget, requireWorkspace } = await import('../api/target.ts');
  const { request } = await import('../api/request.ts');
  const target = await findTarget(options);
  return { target, request, workspace_id: requireWorkspace(target) };
}
