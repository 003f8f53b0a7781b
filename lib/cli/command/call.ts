// `agent-flow call`: a message to an agent over A2A.
import { Command } from '@commander-js/extra-typings';
import { exitCodes } from '../exit-codes.ts';
import { jsonOption, profileOption, workspaceOption } from '../options.ts';

export const call = () =>
  new Command('call')
    .summary('call an agent over A2A')
    .description(
      'Sends a message to an agent and prints what it answers while it writes. Its questions are asked in a terminal. Exit code 1 if the task does not complete. With --json it prints the task or the message; with --json --stream one event of the stream a line.',
    )
    .argument(
      '<agent>',
      'a flow for its live build, flow@3 for one build, reg_…, or the URL of an agent of this service',
    )
    .argument('<message>', 'the text of the message')
    .option('--task <id>', 'answer the question of this task')
    .option('--context <id>', 'continue this conversation')
    .option('--stream', 'with --json: print the events of the stream')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (agent, text, { json = false, stream = false, task, context, ...options }) => {
      const { findTarget } = await import('../api/target.ts');
      const { callAgent } = await import('../api/call-agent.ts');
      const target = await findTarget(options);
      const form = json ? (stream ? 'events' : 'result') : 'text';
      const isDone = await callAgent(target, agent, { text, taskId: task, contextId: context }, form);
      if (!isDone) process.exitCode = exitCodes.failure;
    });
