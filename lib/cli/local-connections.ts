// The connections of a run in the terminal: from a file, or from variables of the environment. They stay in memory.
import type { ConnectionValue } from '#lib/connection/connection.ts';
import { connectionBody } from '#lib/connection/connection.ts';
import type { FindConnection, OpenConnection } from '#lib/connection/find.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { readDocument } from './read-document.ts';

export interface LocalConnections {
  readonly declared: DeclaredConnections;
  readonly find: FindConnection;
  /** For those without a value, how each is given one. Only a node that needs one fails. */
  readonly hints: readonly string[];
}

/** A file holds the bodies that store connections (docs/api-guide.md) by name. It comes before the environment. */
export async function readConnections(
  declared: DeclaredConnections,
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<LocalConnections> {
  const given = {
    ...readVariables(Object.keys(declared), env),
    ...(file !== undefined && (await readFile(file))),
  };
  const values = Object.entries(given).map(([name, value]) => [name, parseValue(name, value)] as const);
  const connections = new Map(values);
  return {
    declared,
    hints: Object.keys(declared)
      .filter((name) => !connections.has(name))
      .map(
        (name) =>
          `The connection "${name}" has no value: give it one with --connections <file>, or in the variable ${variableOf(name)}.`,
      ),
    find: async (name) => {
      const value = connections.get(name);
      return value && openConnection(name, value);
    },
  };
}

async function readFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { value } = await readDocument(file);
  if (isObject(value)) return value;
  throw new Error(`${file} has no connections: expected an object with a credential for each name.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The connection `my-crm` is in CONNECTION_MY_CRM. */
const variableOf = (name: string): string => `CONNECTION_${name.toUpperCase().replaceAll('-', '_')}`;

function readVariables(names: readonly string[], env: NodeJS.ProcessEnv): Readonly<Record<string, unknown>> {
  const given = names.flatMap((name) => {
    const variable = variableOf(name);
    const text = env[variable];
    return text === undefined ? [] : [[name, parseJson(variable, text)] as const];
  });
  return Object.fromEntries(given);
}

/** The error of the parser quotes the text, which is a secret. */
function parseJson(variable: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The variable ${variable} is not JSON.`);
  }
}

function parseValue(name: string, given: unknown): ConnectionValue {
  const { data, error } = connectionBody.safeParse(given, { error: (issue) => describeIssue(issue) });
  if (!data) {
    const [first] = describeIssues(error.issues);
    throw new Error(
      `The connection "${name}" is not valid: ${pointerTo(first?.path ?? [])} ${first?.detail}.`,
    );
  }
  if (data.type !== 'oauth_user' && data.type !== 'aws_sigv4') return data;
  // Their tokens change when they are used, or belong to the service.
  throw new Error(`The connection "${name}" has the type ${data.type}, which only the service can use.`);
}

const openConnection = (name: string, value: ConnectionValue): OpenConnection => ({
  id: name,
  value,
  owner: { orgid: '', workspaceid: '', user: '' },
  computeExternalId: async () => '',
  isRefused: false,
  claimRefresh: async () => undefined,
  readAgain: async () => undefined,
});
