// Mistakes in the parts of a flow around its nodes.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { flowHead } from '../definition/flow.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { someNames } from '../format/some-names.ts';
import { schemaProblems } from '../schema/problems.ts';
import { type CheckBudget, checkPatternWithin } from './check-budget.ts';
import type { Mistake } from './mistake.ts';
import { mockMistakes } from './mocks.ts';
import type { ReadNode } from './read-nodes.ts';

/** Its mistakes of shape are told by whoever reads it. */
export const headSchema = z.strictObject(flowHead);

export function headMistakes(
  head: JsonObject,
  nodes: ReadonlyMap<string, ReadNode>,
  work: CheckBudget,
): { readonly mistakes: readonly Mistake[]; readonly unlisted: number } {
  const mocks = mockMistakes(head.tests, nodes, work);
  const mistakes = [
    ...['input', 'output'].flatMap((name) => schemaMistakes(name, head[name], work)),
    ...modelMistakes(head.models),
    ...connectionMistakes(head.connections),
    ...mocks.mistakes,
  ];
  return { mistakes, unlisted: mocks.unlisted };
}

function schemaMistakes(name: string, schema: Json | undefined, work: CheckBudget): Mistake[] {
  if (!isObject(schema)) return [];
  work.at = [name];
  const problems = schemaProblems(schema, checkPatternWithin(work));
  return problems.map(({ path, detail }) => ({ pointer: pointerTo([name, ...path]), detail }));
}

function connectionMistakes(connections: Json = null): Mistake[] {
  const max = limits.connectionsBytes;
  if (jsonBytes(connections, max) <= max) return [];
  return [{ pointer: '/connections', detail: `expected at most ${max} bytes of JSON` }];
}

function modelMistakes(models: Json | undefined): Mistake[] {
  if (!isObject(models)) return [];
  const count = Object.keys(models).length;
  if (count > limits.modelsMax) {
    return [{ pointer: '/models', detail: `expected at most ${limits.modelsMax} models, got ${count}` }];
  }
  return Object.entries(models).flatMap(([name, model]) => {
    if (!isObject(model)) return [];
    const { fallback } = model;
    if (typeof fallback !== 'string' || Object.hasOwn(models, fallback)) return [];
    const detail = `unknown model "${fallback}": expected one of ${someNames(Object.keys(models))}`;
    return [{ pointer: pointerTo(['models', name, 'fallback']), detail }];
  });
}
