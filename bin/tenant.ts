// `npm run tenant -- new <id>`: writes tenants/<id>.json from its answers or its options.
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isCancel, text } from '@clack/prompts';
import { Command } from '@commander-js/extra-typings';
import { giveUp } from '#lib/cli/give-up.ts';
import { listModelWarnings, proposeId, refuseModels } from '#lib/infra/inference-profiles.ts';
import { parseTenant } from '#lib/infra/tenant.ts';

const questions = {
  region: { message: 'The AWS region', initialValue: 'eu-central-1' },
  account: { message: 'The AWS account, 12 digits (empty: that of your credentials)', initialValue: '' },
  model: {
    message: 'The model of Amazon Bedrock, or an inference profile',
    initialValue: 'amazon.nova-lite-v1:0',
  },
  alarmEmail: { message: 'The address that is notified of alarms (empty: none)', initialValue: '' },
} as const;
type Name = keyof typeof questions;
const names: readonly Name[] = ['region', 'account', 'model', 'alarmEmail'];

const program = new Command('npm run tenant --').description('Describes tenants in the folder tenants.');
program
  .command('new')
  .argument('<id>', 'the id of the tenant: 1 to 30 lower-case letters, digits and hyphens')
  .description('write tenants/<id>.json; asks for what has no option, where somebody can answer')
  .option('--region <region>', questions.region.message)
  .option('--account <digits>', questions.account.message)
  .option('--model <id>', questions.model.message)
  .option('--alarm-email <address>', questions.alarmEmail.message)
  .action((id, options) => writeTenant(id, options).catch((error) => giveUp(error, 'No tenant was written')));
await program.parseAsync();

async function writeTenant(id: string, given: Partial<Record<Name, string>>): Promise<void> {
  const file = fileURLToPath(new URL(`../tenants/${id}.json`, import.meta.url));
  // Before the first question, so that nobody answers in vain.
  parseTenant({ id, ...modelOf('model') }, 'The tenant');
  if (existsSync(file)) throw new Error(`tenants/${id}.json exists.`);
  requireOptions(given);
  const answers: Partial<Record<Name, string>> = {};
  for (const name of names) answers[name] = given[name] ?? (await ask(name, answers.region));
  const { region, account, model = '', alarmEmail } = answers;
  const tenant = {
    id,
    ...(account && { account }),
    ...(region && { region }),
    ...modelOf(model),
    ...(alarmEmail && { alarmEmail }),
    storageStack: true,
  };
  const parsed = parseTenant(tenant, `tenants/${id}.json`);
  refuseModels(parsed, `tenants/${id}.json`);
  writeFileSync(file, `${JSON.stringify(tenant, undefined, 2)}\n`, { flag: 'wx' });
  console.log(
    `Wrote tenants/${id}.json. docs/operations.md has all fields; \`npm run deploy -- ${id}\` deploys it.`,
  );
  for (const warning of listModelWarnings(parsed)) console.error(`Warning: tenants/${id}.json: ${warning}`);
}

/** Where nobody can answer, for what may not be empty. */
function requireOptions(given: Partial<Record<Name, string>>): void {
  const missing = (['region', 'model'] as const).filter((name) => given[name] === undefined);
  if (process.stdin.isTTY || missing.length === 0) return;
  throw new Error(`Nobody can be asked here: give ${missing.map((name) => `--${name}`).join(' and ')}.`);
}

function modelOf(model: string) {
  return { models: { default: { provider: 'bedrock', model } }, modelDefault: 'default' };
}

async function ask(name: Name, region = ''): Promise<string> {
  if (!process.stdin.isTTY) return '';
  const { message, initialValue: usual } = questions[name];
  const initialValue = name === 'model' ? (proposeId(usual, region) ?? '') : usual;
  const answer = await text({ message, initialValue });
  if (isCancel(answer)) throw new Error('Canceled.');
  return answer?.trim() ?? '';
}
