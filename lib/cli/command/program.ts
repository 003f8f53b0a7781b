// The tree of commands of `agent-flow`. A command loads what it needs when it runs, so that help and completion are
// quick.
import addCompletion from '@bomb.sh/tab/commander';
import { type Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command as PlainCommand } from 'commander';
import { connections, keys, members } from './access.ts';
import { budgets } from './budgets.ts';
import { build } from './build.ts';
import { builds } from './builds.ts';
import { call } from './call.ts';
import { check } from './check.ts';
import { deadLetters } from './dead-letters.ts';
import { dev } from './dev.ts';
import { diff } from './diff.ts';
import { drawPicture } from './draw.ts';
import { environments } from './environments.ts';
import { fork } from './fork.ts';
import { init } from './init.ts';
import { login, logout, profiles } from './login.ts';
import { promote, rollback } from './promote.ts';
import { push } from './push.ts';
import { run } from './run.ts';
import { logs, runs } from './runs.ts';
import { answer, cancel } from './steer.ts';
import { test } from './test.ts';
import { trigger } from './trigger.ts';
import { usage } from './usage.ts';

interface Group {
  readonly heading: string;
  readonly commands: readonly (() => CommandUnknownOpts)[];
}

const groups: readonly Group[] = [
  { heading: 'Flows on this machine:', commands: [init, check, test, run, drawPicture, build] },
  { heading: 'Builds of a service:', commands: [dev, push, builds, diff, promote, rollback, environments] },
  { heading: 'Runs of a service:', commands: [trigger, call, runs, logs, answer, cancel, fork, deadLetters] },
  { heading: 'Costs:', commands: [usage, budgets] },
  { heading: 'Access:', commands: [login, logout, profiles, connections, keys, members] },
];

const closing = `
The service is that of --profile, of AGENT_FLOW_URL and AGENT_FLOW_KEY, of the profile in use, or the one that
\`npm start\` runs in this folder.

Exit codes: 0 success; 1 a flow has mistakes, a test failed or a run did not complete; 2 the command line is
not valid; 3 no valid credentials; 4 the service refuses the request; 5 the service is not available.`;

export function createProgram(asJson = false): Command {
  const program = new Command('agent-flow')
    .description('Writes, checks and runs agent flows, and works with a service that runs them.')
    .usage('<command> [options]')
    .addHelpText('after', closing);
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const create of commands) program.addCommand(create());
  }
  program.commandsGroup('Shell:');
  // The package is written for the types of commander, of which ours are the stricter form.
  addCompletion(program as unknown as PlainCommand, { completionCommandName: 'completion' });
  program.commands
    .find((each) => each.name() === 'completion')
    ?.description('Prints the script that completes command lines in a shell.')
    .summary('print a completion script')
    .hook('preAction', (_program, { args: [shell] }) => {
      if (shell === 'bash') console.log(wordsOfBash);
    });
  settle(program, '', asJson);
  return program;
}

/** The script for bash needs this function of the package bash-completion, which is not on every machine. */
const wordsOfBash = `declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}
`;

/** Commands that are made apart inherit nothing, so each gets the same settings. */
function settle(command: CommandUnknownOpts, parents: string, asJson: boolean): void {
  const path = `${parents}${command.name()}`;
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError(`\nUsage: ${path} ${command.usage()}\n\`${path} --help\` says more.`)
    .configureOutput({ writeErr: (text) => (asJson ? undefined : process.stderr.write(text)) })
    .configureHelp({
      helpWidth: Math.min(process.stdout.columns ?? 110, 110),
      subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(argumentTerm)].join(' '),
    });
  if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a command');
  for (const each of command.commands) settle(each, `${path} `, asJson);
}

const argumentTerm = (argument: Argument): string => {
  const term = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${term}>` : `[${term}]`;
};
