// `npm run dlq -- list|redrive`: an operator lists the dead letters of all organisations or sends them back
// to the run queue, with their own AWS credentials (dynamodb:Query, GetItem and UpdateItem on the runs table,
// sqs:SendMessage on the run queue, kms:Decrypt with the flow key).
import { giveUp, giveUpOnAws } from '#lib/cli/give-up.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { redrive } from '#lib/dead-letter/redrive.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import type { StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { queryLetters, queryLetterWorkspaces } from '#lib/run/dead-letter-items.ts';

const usage = `Usage: npm run dlq -- list --runs-table <name> [options]
       npm run dlq -- redrive --runs-table <name> --run-queue <URL> --flow-key <id> --tenant <id> [options]

  --runs-table <name>  the output RunsTableName of the stack
  --run-queue <URL>    the output RunQueueUrl of the stack
  --flow-key <id>      the output FlowKeyId of the stack; the key decrypts the events
  --tenant <id>        the id of the tenant, as in tenants/<id>.json
  --org <orgid>        only dead letters of this organisation; "-" for messages without an organisation
  --workspace <id>     only dead letters of this workspace
  --id <id>            only the dead letter with this id

list prints a line for each dead letter. redrive sends the messages back to the run queue that have not been sent back
since they last failed, or with --id that message in any case. It can safely be repeated: a run keeps its id, and a run
that has ended does not change.`;

const pageSize = 100;
const { refuse, readOptions } = commandLine(usage);
const { values, positionals } = readArguments();
const [command] = positionals;
if (positionals.length > 1) refuse('Expected one command.');
if (command !== 'list' && command !== 'redrive') refuse('Expected the command "list" or "redrive".');
process.env.RUNS_TABLE = required('runs-table');
if (command === 'redrive') {
  process.env.RUN_QUEUE_URL = required('run-queue');
  process.env.FLOW_KEY_ID = required('flow-key');
  process.env.TENANT_ID = required('tenant');
}
const done = command === 'list' ? 'found' : 'sent back to the queue';
let counted = 0;
await visitAll().catch((error) => {
  if (error instanceof Error && error.name === 'ResourceNotFoundException')
    giveUp(`There is no table ${values['runs-table']} in this account and region.`);
  giveUpOnAws(error, `Stopped after ${counted} ${done}`);
});
if (counted === 0 && values.id !== undefined) giveUp(`There is no dead letter with the id ${values.id}.`);
console.error(`${counted} ${done}.`);

async function visitAll(): Promise<void> {
  for (const place of await places()) {
    for await (const letter of listLetters(place)) {
      if (command === 'redrive') await redrive(letter, new Date().toISOString());
      console.log(formatLine(letter));
      counted += 1;
    }
  }
}

async function places(): Promise<WorkspaceScope[]> {
  const all = await queryLetterWorkspaces();
  return all.filter(
    ({ orgid, workspaceid }) =>
      orgid === (values.org ?? orgid) && workspaceid === (values.workspace ?? workspaceid),
  );
}

async function* listLetters(place: WorkspaceScope): AsyncGenerator<StoredDeadLetter> {
  for (let after: string | undefined, isDone = false; !isDone; ) {
    const page = await queryLetters(place, pageSize, after);
    yield* page.filter(isWanted);
    after = page.at(-1)?.id;
    isDone = page.length < pageSize;
  }
}

function isWanted({ id, redriven_at }: StoredDeadLetter): boolean {
  if (values.id !== undefined) return id === values.id;
  return command === 'list' || redriven_at === undefined;
}

function formatLine({ id, orgid, workspaceid, flowid = '-', ...letter }: StoredDeadLetter): string {
  const { last_seen_at, attempts, redriven_at, reason } = letter;
  const state = redriven_at === undefined ? `failed ${attempts}x` : `redriven ${redriven_at}`;
  return [last_seen_at, id, `${orgid}/${workspaceid}`, flowid, state, reason].join('  ');
}

function readArguments() {
  const text = { type: 'string' } as const;
  return readOptions({
    'runs-table': text,
    'run-queue': text,
    'flow-key': text,
    tenant: text,
    org: text,
    workspace: text,
    id: text,
  });
}

function required(name: 'runs-table' | 'run-queue' | 'flow-key' | 'tenant'): string {
  return values[name] ?? refuse(`The option --${name} is missing.`);
}
