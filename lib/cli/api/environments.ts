// Changes the settings of an environment as a command line says, which the service only replaces as a whole.
import { CommandFailure, wrongUsage } from '../command-failure.ts';
import { readDocument } from '../read-document.ts';
import type { Body, Result } from './operations.ts';
import { request } from './request.ts';
import type { Target } from './target.ts';

type Settings = Extract<Body<'setEnvironment'>, { readonly pins: unknown }>;
type Sink = NonNullable<Result<'setEnvironment'>['telemetry']>;

/** As the options of a command line. `false` removes the sink. */
export interface SinkOptions {
  readonly telemetry?: string | boolean | undefined;
  readonly telemetryConnection?: string | undefined;
  readonly telemetryEncoding?: Sink['encoding'];
  readonly telemetryContent?: Sink['content'];
}

/** A URL begins a new sink; without one, the stored sink is changed. Throws if there is none. */
export function toSink(stored: Sink | undefined, options: SinkOptions): Sink {
  const { telemetry, telemetryConnection, telemetryEncoding, telemetryContent } = options;
  const sink = typeof telemetry === 'string' ? { endpoint: telemetry } : stored;
  if (!sink) throw wrongUsage('There is no telemetry to change: expected --telemetry <url>.');
  return {
    ...sink,
    ...(telemetryConnection !== undefined && { connection: telemetryConnection }),
    ...(telemetryEncoding !== undefined && { encoding: telemetryEncoding }),
    ...(telemetryContent !== undefined && { content: telemetryContent }),
  };
}

/** The members that `PUT` takes of a file, so that what `get --json` has printed can be set again. */
export async function readSettings(file: string): Promise<Settings> {
  const { value } = await readDocument(file);
  const members = Object.entries(Object(value)).filter(([name]) => !readOnly.has(name));
  // The service checks them, and names what is wrong.
  return { pins: {}, env: {}, ...Object.fromEntries(members) };
}

const readOnly: ReadonlySet<string> = new Set([
  'environment',
  'workspaceid',
  'orgid',
  'version',
  'created_at',
  'updated_at',
  'updated_by',
  'telemetry_state',
]);

type Change =
  | { readonly body: Settings }
  | { readonly keepValues: Settings['keep_values']; readonly sink: SinkOptions };

interface Scope {
  readonly environment: string;
  readonly query: { readonly workspaceid: string };
}

/** A change of what is stored fails if others have changed it since it was read; a file replaces it. */
export async function changeSettings(
  target: Target,
  { environment, query }: Scope,
  change: Change,
): Promise<Result<'setEnvironment'>> {
  const params = { environment };
  const what = 'Setting the environment';
  if ('body' in change)
    return (await request(target, 'setEnvironment', what, { params, query, body: change.body })).body;
  const before = await readStored(target, { environment, query });
  const body = applyChange(before?.body, change);
  const etag = before?.headers.get('etag');
  const headers = etag ? { 'if-match': etag } : {};
  return (await request(target, 'setEnvironment', what, { params, query, body, headers })).body;
}

async function readStored(target: Target, { environment, query }: Scope) {
  try {
    return await request(target, 'getEnvironment', 'Reading the environment', {
      params: { environment },
      query,
    });
  } catch (error) {
    if (error instanceof CommandFailure && error.members.code === 'environment_not_found') return undefined;
    throw error;
  }
}

function applyChange(
  stored: Result<'getEnvironment'> | undefined,
  { keepValues, sink }: Exclude<Change, { body: Settings }>,
): Settings {
  const keep_values = keepValues ?? stored?.keep_values;
  const { telemetry: given, ...others } = sink;
  const isChanged = typeof given === 'string' || Object.values(others).some((value) => value !== undefined);
  const telemetry =
    given === false ? undefined : isChanged ? toSink(stored?.telemetry, sink) : stored?.telemetry;
  return {
    pins: stored?.pins ?? {},
    env: stored?.env ?? {},
    ...(keep_values && { keep_values }),
    ...(telemetry && { telemetry }),
  };
}
