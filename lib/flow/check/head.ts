// Checks the parts of a flow around its nodes.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { addMistake, type MistakeList } from '#lib/mistakes.ts';
import { flowHead } from '../definition/flow.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import { seedProblem } from '../nodes/model-settings.ts';
import { schemaProblems } from '../schema/problems.ts';
import { type CheckState, checkPatternWithin, findNearName } from './check-budget.ts';
import { checkMocks } from './mocks.ts';
import type { ReadNode } from './read-nodes.ts';

export const headSchema = z.strictObject(flowHead);

/** What `headSchema` cannot express. */
export function checkHead(head: JsonObject, nodes: ReadonlyMap<string, ReadNode>, check: CheckState): void {
  for (const name of ['input', 'output']) checkSchema(name, head[name], check);
  checkModels(head.models, check);
  checkConnections(head.connections, check.mistakes);
  checkMocks(head.tests, nodes, check);
}

function checkSchema(name: string, schema: Json | undefined, { mistakes, budget }: CheckState): void {
  if (!isObject(schema)) return;
  budget.path = [name];
  for (const { path, detail } of schemaProblems(schema, checkPatternWithin(budget)))
    addMistake(mistakes, [name, ...path], detail);
}

function checkConnections(connections: Json | undefined, mistakes: MistakeList): void {
  const max = limits.connectionsBytes;
  if (jsonBytes(connections ?? null, max) > max)
    addMistake(mistakes, ['connections'], `expected at most ${max} bytes of JSON`);
  else if (isObject(connections)) checkOauthClients(connections, mistakes);
}

/** The client of an `oauth_user` is a connection of the workspace. */
function checkOauthClients(connections: JsonObject, mistakes: MistakeList): void {
  for (const [name, { oauth }] of Object.entries(connections).filter(isDeclared)) {
    const client = isObject(oauth) ? oauth.client : undefined;
    if (typeof client !== 'string') continue;
    const declared = Object.hasOwn(connections, client) ? connections[client] : undefined;
    const isClient =
      isObject(declared) && declared.type === 'oauth_client_credentials' && declared.scope !== 'user';
    if (isClient) continue;
    const detail = `expected a connection of type \`oauth_client_credentials\` and scope \`organization\`, got "${client}"`;
    addMistake(mistakes, ['connections', name, 'oauth', 'client'], detail);
  }
}

const isDeclared = (entry: [string, Json]): entry is [string, JsonObject] => isObject(entry[1]);

function checkModels(models: Json | undefined, check: CheckState): void {
  if (!isObject(models)) return;
  const names = Object.keys(models);
  if (names.length > limits.modelsMax) {
    addMistake(
      check.mistakes,
      ['models'],
      `expected at most ${limits.modelsMax} models, got ${names.length}`,
    );
    return;
  }
  for (const [name, model] of Object.entries(models)) {
    if (!isObject(model)) continue;
    const { fallback, provider, seed } = model;
    if (provider === 'bedrock' && typeof seed === 'number') {
      const detail = seedProblem(provider, { seed });
      if (detail) addMistake(check.mistakes, ['models', name, 'seed'], detail);
    }
    if (typeof fallback !== 'string' || Object.hasOwn(models, fallback)) continue;
    const near = findNearName(check, fallback, names);
    const detail = `unknown model "${fallback}": ${suggesting(near, `expected one of ${someNames(names)}`)}`;
    addMistake(check.mistakes, ['models', name, 'fallback'], detail);
  }
}
