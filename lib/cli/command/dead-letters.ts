// `agent-flow dead-letters`: events and runs that could not be run.
import { Command } from '@commander-js/extra-typings';
import type { actOnDeadLetters } from '../api/dead-letters.ts';
import type { Target } from '../api/target.ts';
import { exitCodes } from '../exit-codes.ts';
import { count, jsonOption, profileOption, time, workspaceOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';

const flowOption = ['--flow <flow>', 'only those of this flow'] as const;
const reasonOption = ['--reason <text>', 'only those with exactly this reason, as `list` shows it'] as const;
const beforeOption = ['--before <time>', 'only those that failed last before this time', time] as const;

/** What these commands begin with. Loaded when one runs. */
async function connect(options: { readonly profile?: string; readonly workspace?: string }) {
  const { findTarget, requireWorkspace } = await import('../api/target.ts');
  const target = await findTarget(options);
  return { target, workspaceid: requireWorkspace(target) };
}

export const deadLetters = () =>
  new Command('dead-letters')
    .description('Lists, shows, redrives and dismisses events and runs that could not be run.')
    .summary('events and runs that could not be run')
    .addCommand(listLetters())
    .addCommand(showLetter())
    .addCommand(redriveLetters())
    .addCommand(dismissLetters());

const listLetters = () =>
  new Command('list')
    .description('Lists the dead letters of a workspace in the order of their ids, each with its reason.')
    .option(...flowOption)
    .option(...reasonOption)
    .option(...beforeOption)
    .option('-n, --limit <n>', 'at most this many', count, 20)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ json, limit, flow, reason, before, ...options }) => {
      const { target } = await connect(options);
      const { listDeadLetters } = await import('../api/dead-letters.ts');
      const { takeAll } = await import('../take.ts');
      const items = await takeAll(listDeadLetters(target, { flowid: flow, reason, before }), limit);
      if (json) return printJson({ items });
      if (items.length === 0) return note('There are no such dead letters.');
      const rows = items.map(({ last_seen_at, flowid, attempts, redriven_at, id, reason: why }) => [
        ...[last_seen_at, flowid, attempts, redriven_at, id, why],
      ]);
      printTable(['FAILED LAST', 'FLOW', 'ATTEMPTS', 'REDRIVEN', 'ID', 'REASON'], rows);
    });

const showLetter = () =>
  new Command('show')
    .description('Shows a dead letter, with the beginning of its event.')
    .argument('<id>', 'the id of the dead letter')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (id, { json, ...options }) => {
      const { target } = await connect(options);
      const { findDeadLetter } = await import('../api/dead-letters.ts');
      const letter = await findDeadLetter(target, id);
      if (json) return printJson(letter);
      for (const [name, value] of Object.entries(letter)) printLine(`${name.padEnd(13)} ${value}`);
    });

const redriveLetters = () =>
  actingCommand({
    name: 'redrive',
    description:
      'Puts a dead letter back into the queue, or all that pass the options. Those that are in the queue already, and those whose run has ended, are left out.',
    done: 'in the queue again',
    actOnOne: async (target, sent) => {
      const { request } = await import('../api/request.ts');
      return (await request(target, 'redriveDeadLetter', 'Redriving the dead letter', sent)).body;
    },
    operation: 'redriveDeadLetters',
  });

const dismissLetters = () =>
  actingCommand({
    name: 'dismiss',
    description:
      'Dismisses a dead letter, or all that pass the options: its content is deleted, and it cannot be redriven.',
    done: 'dismissed',
    actOnOne: async (target, sent) => {
      const { request } = await import('../api/request.ts');
      await request(target, 'dismissDeadLetter', 'Dismissing the dead letter', sent);
      return { dismissed: sent.params.id };
    },
    operation: 'dismissDeadLetters',
  });

interface Act {
  readonly name: string;
  readonly description: string;
  /** What a dead letter is afterwards. */
  readonly done: string;
  /** Returns what is printed with --json. */
  readonly actOnOne: (target: Target, sent: OneLetter) => Promise<object>;
  /** For those that pass the options. */
  readonly operation: Parameters<typeof actOnDeadLetters>[1];
}

interface OneLetter {
  readonly params: { readonly id: string };
  readonly query: { readonly workspaceid: string };
}

const actingCommand = ({ name, description, done, actOnOne, operation }: Act) =>
  new Command(name)
    .description(description)
    .argument('[id]', 'the id of a dead letter; or options that choose several')
    .option(...flowOption)
    .option(...reasonOption)
    .option(...beforeOption)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (id, { json, flow, reason, before, ...options }, command) => {
      const filter = { flowid: flow, reason, before };
      const hasFilter = Object.values(filter).some((value) => value !== undefined);
      if (hasFilter === (id !== undefined))
        command.error('error: expected the id of a dead letter, or one of --flow, --reason and --before', {
          exitCode: exitCodes.usage,
        });
      const { target, workspaceid } = await connect(options);
      if (id !== undefined) {
        const answer = await actOnOne(target, { params: { id }, query: { workspaceid } });
        return json ? printJson(answer) : printLine(`${id} is ${done}.`);
      }
      const { actOnDeadLetters: actOnAll } = await import('../api/dead-letters.ts');
      const acted = await actOnAll(target, operation, filter);
      if (json) printJson({ done: acted });
      else printLine(`${acted === 1 ? '1 dead letter is' : `${acted} dead letters are`} ${done}.`);
    });
