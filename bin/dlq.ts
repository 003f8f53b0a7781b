// `npm run dlq -- list|redrive`: an operator looks at the messages of all organisations that could not be run, and gives them another try,
// with their own AWS credentials (dynamodb:Query, GetItem and UpdateItem on the runs table, sqs:SendMessage on the run queue, kms:Decrypt with the flow key).
import { parseArgs } from 'node:util';
import { giveUp, giveUpOnAws } from '#lib/cli/give-up.ts';
import { redrive } from '#lib/dead-letter/redrive.ts';
import type { StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { queryLetters, queryPlaces } from '#lib/run/dead-letter-items.ts';
import type { LetterPlace } from '#lib/run/dead-letter-keys.ts';

const usage = `Usage: npm run dlq -- list --runs-table <name> [options]
       npm run dlq -- redrive --runs-table <name> --run-queue <URL> --flow-key <id> --tenant <id> [options]

  --runs-table <name>  the stack's output RunsTableName
  --run-queue <URL>    the stack's output RunQueueUrl
  --flow-key <id>      the stack's output FlowKeyId, with which events are encrypted
  --tenant <id>        the tenant of tenants/<id>.json
  --org <orgid>        only those of this organisation; "-" for messages that name none
  --workspace <id>     only those of this workspace
  --id <id>            only this one

list prints one line for each. redrive puts those back that have not been put back since they failed last, or the one named by --id in any
case. Doing it again has no second effect: a run keeps its id, and one that is over stays as it is.`;

const pageSize = 100;
const { values, positionals } = readArguments();
const [command] = positionals;
if (positionals.length > 1) refuse('One command at a time.');
if (command !== 'list' && command !== 'redrive') refuse('The commands are "list" and "redrive".');
process.env.RUNS_TABLE = required('runs-table');
if (command === 'redrive') {
  process.env.RUN_QUEUE_URL = required('run-queue');
  process.env.FLOW_KEY_ID = required('flow-key');
  process.env.TENANT_ID = required('tenant');
}
const done = command === 'list' ? 'found' : 'put back into the queue';
let counted = 0;
await goThrough().catch((error) => {
  if (error instanceof Error && error.name === 'ResourceNotFoundException')
    giveUp(`There is no table ${values['runs-table']} in this account and region.`);
  giveUpOnAws(error, `Stopped after ${counted} ${done}`);
});
if (counted === 0 && values.id !== undefined) giveUp(`There is no dead letter ${values.id} here.`);
console.error(`${counted} ${done}.`);

async function goThrough(): Promise<void> {
  for (const place of await places()) {
    for await (const letter of lettersOf(place)) {
      if (command === 'redrive') await redrive(letter, new Date().toISOString());
      console.log(lineOf(letter));
      counted += 1;
    }
  }
}

async function places(): Promise<LetterPlace[]> {
  const all = await queryPlaces();
  return all.filter(
    ({ orgid, workspaceid }) =>
      orgid === (values.org ?? orgid) && workspaceid === (values.workspace ?? workspaceid),
  );
}

async function* lettersOf(place: LetterPlace): AsyncGenerator<StoredDeadLetter> {
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

function lineOf({ id, orgid, workspaceid, flowid = '-', ...letter }: StoredDeadLetter): string {
  const { last_seen_at, attempts, redriven_at, reason } = letter;
  const state = redriven_at === undefined ? `failed ${attempts}x` : `redriven ${redriven_at}`;
  return [last_seen_at, id, `${orgid}/${workspaceid}`, flowid, state, reason].join('  ');
}

function readArguments() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'runs-table': text,
        'run-queue': text,
        'flow-key': text,
        tenant: text,
        org: text,
        workspace: text,
        id: text,
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function required(name: 'runs-table' | 'run-queue' | 'flow-key' | 'tenant'): string {
  return values[name] ?? refuse(`--${name} is missing.`);
}

function refuse(message: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}
