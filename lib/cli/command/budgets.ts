// `agent-flow budgets`: how much models may cost in a month.
import { Command, Option } from '@commander-js/extra-typings';
import type { Result } from '../api/operations.ts';
import type { TargetOptions } from '../api/target.ts';
import { formatDollars } from '../figures.ts';
import { dollars, jsonOption, percent, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';

type Budget = Result<'setBudget'>;

export const budgets = () =>
  new Command('budgets')
    .description(
      'Lists, sets and removes budgets: how much the models of the organisation, or of a workspace, may cost in a month (UTC).',
    )
    .summary('how much models may cost in a month')
    .addCommand(listBudgets())
    .addCommand(setBudget())
    .addCommand(removeBudget());

const listBudgets = () =>
  new Command('list')
    .description(
      'Lists the budgets of the organisation and of the workspaces that the credentials are for, with what was spent this month.',
    )
    .option(...profileOption)
    .option(...jsonOption)
    .action(async ({ json, ...options }) => {
      const { target, request } = await connect(options);
      const { body } = await request(target, 'listBudgets', 'Listing the budgets');
      if (json) return printJson(body);
      if (body.items.length === 0) return note('There are no budgets.');
      const rows = body.items.map((each) => [
        ...[each.workspaceid ?? '(organisation)', each.month, each.state, each.stop ? 'stop' : 'warn'],
        ...[`${each.warn_percent}%`, formatDollars(each.monthly_limit), formatDollars(each.spent)],
      ]);
      const head = ['WORKSPACE', 'MONTH', 'STATE', 'AT LIMIT', 'WARN AT', 'LIMIT', 'SPENT'];
      printTable(head, rows, { numbersFrom: 4 });
    });

const organizationOption = () =>
  new Option('--organization', 'the budget of the whole organisation, not of a workspace').conflicts(
    'workspace',
  );

const setBudget = () =>
  new Command('set')
    .description(
      'Sets the budget of a workspace or of the organisation, in place of the one that it has. When the limit is reached, nothing is started and runs end at their next call of a model, within about a minute.',
    )
    .argument('<dollars>', 'what models may cost in a month, in US dollars, such as 250 or 0.50', dollars)
    .option('--warn <percent>', 'warn from this part of the limit on (default: 80)', percent)
    .option('--no-stop', 'only warn: models are called beyond the limit')
    .addOption(organizationOption())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (monthly_limit, { json, warn, stop, organization, ...options }) => {
      const { target, request, scopeOf } = await connect(options);
      const { body } = await request(target, 'setBudget', 'Setting the budget', {
        query: scopeOf(organization),
        body: { monthly_limit, stop, ...(warn !== undefined && { warn_percent: warn }) },
      });
      if (json) printJson(body);
      else printLine(describe(body));
    });

const describe = (budget: Budget): string =>
  `The models of ${nameScope(budget)} may cost ${formatDollars(budget.monthly_limit)} a month. ` +
  `${budget.stop ? 'At the limit, they are called no more.' : 'Beyond the limit, they are still called.'} ` +
  `Spent in ${budget.month}: ${formatDollars(budget.spent)} (${budget.state}).`;

const removeBudget = () =>
  new Command('remove')
    .description(
      'Removes the budget of a workspace or of the organisation: its models are limited by it no more.',
    )
    .addOption(organizationOption())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ json, organization, ...options }) => {
      const { target, request, scopeOf } = await connect(options);
      const query = scopeOf(organization);
      await request(target, 'deleteBudget', 'Removing the budget', { query });
      if (json) printJson({ removed: query });
      else printLine(`The budget of ${nameScope(query)} is removed.`);
    });

/** As the API names what a budget is for. */
interface Scope {
  readonly workspaceid?: string | undefined;
}

const nameScope = ({ workspaceid }: Scope): string => workspaceid ?? 'the organisation';

/** What these commands begin with. Loaded when one runs. */
async function connect(options: TargetOptions) {
  const { findTarget, requireWorkspace } = await import('../api/target.ts');
  const { request } = await import('../api/request.ts');
  const target = await findTarget(options);
  const scopeOf = (isOrganisation: boolean | undefined) =>
    isOrganisation ? {} : { workspaceid: requireWorkspace(target) };
  return { target, request, scopeOf };
}
