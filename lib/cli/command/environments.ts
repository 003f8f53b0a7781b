// `agent-flow environments`: which builds and variables an environment has, and where its runs are exported to.
import { Argument, Command, Option } from '@commander-js/extra-typings';
import type { Result } from '../api/operations.ts';
import type { TargetOptions } from '../api/target.ts';
import { wrongUsage } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';

export const environments = () =>
  new Command('environments')
    .description(
      'Lists, shows, sets and deletes the settings of environments, and tries where their runs are exported to.',
    )
    .summary('settings of environments')
    .addCommand(listEnvironments())
    .addCommand(getEnvironment())
    .addCommand(setEnvironment())
    .addCommand(deleteEnvironment())
    .addCommand(tryTelemetry());

const environmentArgument = () =>
  new Argument('<environment>', 'the environment').choices(['live', 'test', 'dev', 'uat'] as const);

const listEnvironments = () =>
  new Command('list')
    .description('Lists the environments of a workspace that have settings.')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ json, ...options }) => {
      const { target, request, query } = await connect(options);
      const { body } = await request(target, 'listEnvironments', 'Listing the environments', { query });
      if (json) return printJson(body);
      if (body.items.length === 0) return note('No environment has settings.');
      const rows = body.items.map(({ environment, pins, env, keep_values, telemetry, updated_at }) => [
        ...[environment, Object.keys(pins).length, Object.keys(env).length, keep_values],
        ...[telemetry?.endpoint, updated_at],
      ]);
      printTable(['ENVIRONMENT', 'PINS', 'VARIABLES', 'KEEPS VALUES', 'TELEMETRY', 'UPDATED'], rows);
    });

const getEnvironment = () =>
  new Command('get')
    .description(
      'Shows the settings of an environment, with what became of the runs that were exported. With --json, they can be changed and set again as a file.',
    )
    .addArgument(environmentArgument())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (environment, { json, ...options }) => {
      const { target, request, query } = await connect(options);
      const sent = { params: { environment }, query };
      const { body } = await request(target, 'getEnvironment', 'Reading the environment', sent);
      if (json) printJson(body);
      else printSettings(body);
    });

type Settings = Result<'getEnvironment'>;

function printSettings({ pins, env, keep_values, telemetry, telemetry_state, ...others }: Settings): void {
  const { last_exported_at, last_error, dropped_runs = 0, rejected_spans = 0 } = telemetry_state ?? {};
  const rows = {
    ...Object.fromEntries(Object.entries(pins).map(([flow, build]) => [`pin ${flow}`, build])),
    ...Object.fromEntries(Object.entries(env).map(([name, text]) => [`variable ${name}`, text])),
    'keeps values': keep_values ?? '(default)',
    telemetry: telemetry?.endpoint ?? '(none)',
    ...(telemetry && {
      encoding: telemetry.encoding ?? 'json',
      content: telemetry.content ?? 'off',
      connection: telemetry.connection ?? '(none)',
      'last exported': last_exported_at ?? '(never)',
      'last error': last_error
        ? [last_error.at, last_error.reason, last_error.detail].filter(Boolean).join(' ')
        : '(none)',
      'dropped runs': dropped_runs,
      'rejected spans': rejected_spans,
    }),
    updated: others.updated_at,
  };
  const width = Math.max(...Object.keys(rows).map(({ length }) => length));
  for (const [name, value] of Object.entries(rows)) printLine(`${name.padEnd(width)}  ${value}`);
}

const sinkOptions = {
  telemetry: ['--telemetry <url>', 'export runs to this URL by OTLP/HTTP'],
  connection: ['--telemetry-connection <name>', 'the connection whose credential is sent'],
} as const;
const encodingOption = () =>
  new Option('--telemetry-encoding <encoding>', 'the encoding of OTLP (default: json)').choices([
    'json',
    'protobuf',
  ] as const);
const contentOption = () =>
  new Option('--telemetry-content <content>', 'also prompts, answers and values (default: off)').choices([
    'off',
    'full',
  ] as const);

const setEnvironment = () =>
  new Command('set')
    .description(
      'Changes what the options say of the settings of an environment, or replaces them by those of a file. A change of others meanwhile is not overwritten.',
    )
    .addArgument(environmentArgument())
    .addOption(
      new Option(
        '--file <file>',
        'all settings from a JSON or YAML file: pins, env, keep_values, telemetry',
      ).conflicts([...sinkNames, 'keepValues']),
    )
    .addOption(
      new Option('--keep-values <runs>', 'of which runs values are kept').choices([
        'all',
        'failed',
        'off',
      ] as const),
    )
    .option(...sinkOptions.telemetry)
    .option('--no-telemetry', 'export no runs')
    .option(...sinkOptions.connection)
    .addOption(encodingOption())
    .addOption(contentOption())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (environment, { json, file, keepValues, profile, workspace, ...sink }) => {
      const { changeSettings, readSettings } = await import('../api/environments.ts');
      const { target, query } = await connect({
        ...(profile && { profile }),
        ...(workspace && { workspace }),
      });
      const hasChange = file !== undefined || keepValues !== undefined || Object.keys(sink).length > 0;
      if (!hasChange) throw wrongUsage('Nothing to set: expected --file, --keep-values or --telemetry.');
      const change = file === undefined ? { keepValues, sink } : { body: await readSettings(file) };
      const settings = await changeSettings(target, { environment, query }, change);
      if (json) printJson(settings);
      else printSettings(settings);
    });

const sinkNames = ['telemetry', 'telemetryConnection', 'telemetryEncoding', 'telemetryContent'];

const deleteEnvironment = () =>
  new Command('delete')
    .description('Deletes the settings of an environment, and with them where its runs are exported to.')
    .addArgument(environmentArgument())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (environment, { json, ...options }) => {
      const { target, request, query } = await connect(options);
      const sent = { params: { environment }, query };
      await request(target, 'deleteEnvironment', 'Deleting the settings', sent);
      if (json) printJson({ deleted: environment });
      else printLine(`The settings of ${environment} are deleted.`);
    });

const tryTelemetry = () =>
  new Command('try-telemetry')
    .description(
      'Sends one test span to the telemetry of an environment, or to the one of the options, which is not stored. The exit code is 1 if the endpoint has not taken it.',
    )
    .addArgument(environmentArgument())
    .option(...sinkOptions.telemetry)
    .option(...sinkOptions.connection)
    .addOption(encodingOption())
    .addOption(contentOption().hideHelp())
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (environment, { json, profile, workspace, ...sink }) => {
      const { toSink } = await import('../api/environments.ts');
      const { target, request, query } = await connect({
        ...(profile && { profile }),
        ...(workspace && { workspace }),
      });
      const isGiven = Object.keys(sink).length > 0;
      const { body } = await request(target, 'tryTelemetry', 'Sending the test span', {
        params: { environment },
        query,
        body: isGiven ? { telemetry: toSink(undefined, sink) } : {},
      });
      if (json) printJson(body);
      else printLine(describeTry(body));
      if (!body.accepted) process.exitCode = exitCodes.failure;
    });

function describeTry({
  host,
  accepted,
  status,
  answer,
  error,
  trace_id,
  duration_ms,
}: Result<'tryTelemetry'>) {
  if (error) return `${error.message} (${error.code})`;
  const said = answer === undefined ? '' : ` It says: ${answer}`;
  return accepted
    ? `${host} has taken the span, with the status ${status} in ${duration_ms} ms. Its trace is ${trace_id}.`
    : `${host} has not taken the span: it answered with the status ${status} in ${duration_ms} ms.${said}`;
}

/** What these commands begin with. Loaded when one runs. */
async function connect(options: TargetOptions) {
  const { findTarget, requireWorkspace } = await import('../api/target.ts');
  const { request } = await import('../api/request.ts');
  const target = await findTarget(options);
  return { target, request, query: { workspaceid: requireWorkspace(target) } };
}
