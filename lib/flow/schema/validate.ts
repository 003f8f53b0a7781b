// Validates a value against a JSON Schema of the supported dialect. The value is never changed: no defaults
// are set, nothing is removed. All traversal of the schema and the value counts against one budget, see
// `step-budget.ts`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { lazyModule } from '#lib/lazy.ts';
import { truncate } from '#lib/truncate.ts';
import type { LinearPattern } from '../expression/regex.ts';
import { isObject } from '../format/json-value.ts';
import type { ValidationCache } from './kinds.ts';
import { type Rule, rules, type Walk } from './rules.ts';
import {
  createSchemaBudget,
  memberUnits,
  type SchemaBudget,
  spendSteps,
  textUnits,
  tooComplex,
} from './step-budget.ts';

/**
 * Returns at most ten faults, as sentences that begin with a JSON pointer; none for a valid value. Throws
 * `schema.too_complex`.
 */
export async function findSchemaFaults(
  schema: JsonObject,
  value: Json,
  budget?: SchemaBudget,
): Promise<readonly string[]> {
  return (await prepareValidation(schema))(value, budget);
}

/**
 * Loads what the validation needs, and returns the validation, which is synchronous and can have a smaller
 * budget.
 */
export async function prepareValidation(schema: JsonObject) {
  const pattern = await loadPatterns(schema);
  return (value: Json, budget?: SchemaBudget): readonly string[] =>
    findFaultsIn(schema, value, pattern, budget).map(sentence);
}

export interface Fault {
  /** JSON pointer (RFC 6901) from the root of the value. */
  readonly pointer: string;
  readonly detail: string;
}

export const sentence = ({ pointer, detail }: Fault): string => `${pointer || 'the value'}: ${detail}`;

/**
 * The synchronous validation, for callers that have loaded the regular expressions; several values can share
 * one budget.
 */
export function findFaultsIn(
  schema: JsonObject,
  value: Json,
  pattern: PatternTest,
  budget: SchemaBudget = createSchemaBudget(),
): readonly Fault[] {
  const faults: Fault[] = [];
  const shared: Shared = {
    ...{ root: schema, budget, path: [], depth: 0, plans: new Map(), names: new Map(), unique: new Map() },
    pattern: (source, text) => pattern(source, text, budget),
  };
  const report = (detail: () => string) => {
    const pointer = pointerTo(shared.path.map((step) => (isLong(step) ? `${truncate(step, 100)}…` : step)));
    faults.push({ pointer, detail: detail() });
  };
  createWalk(shared, report, () => faults.length >= faultsMax).check(schema, value);
  return faults;
}

const faultsMax = 10;
/** Maximum depth of references and nested schemas: a schema that only refers to itself would not end. */
const depthMax = 256;

const isLong = (step: string | number): step is string => typeof step === 'string' && step.length > 100;

/** Counts its steps against the budget. */
export type PatternTest = (source: string, text: string, budget: SchemaBudget) => boolean;

/** The state of one validation, including the schemas that are only tested with yes or no. */
interface Shared extends ValidationCache, Pick<Walk, 'root' | 'pattern'> {
  readonly path: (string | number)[];
  depth: number;
  /** The rules that each schema applies to a value. */
  readonly plans: Map<JsonObject, Plan>;
}

type Plan = readonly (readonly [Rule, Json])[];

function createWalk(shared: Shared, report: Walk['report'], isFull: Walk['isFull']): Walk {
  const { root, pattern, budget, names, unique, path } = shared;
  const check = (schema: Json, value: Json) => {
    if (schema === true) return;
    if (!isObject(schema)) return report(noValue);
    if (++shared.depth > depthMax) throw tooComplex();
    const plan = shared.plans.get(schema) ?? planRules(schema, shared);
    spendSteps(budget, schemaUnits + plan.length);
    for (const [rule, expected] of plan) {
      if (isFull()) break;
      rule(expected, value, walk, schema);
    }
    shared.depth--;
  };
  const checkInside = (schema: Json, value: Json, step: string | number) => {
    path.push(step);
    check(schema, value);
    path.pop();
  };
  const fits = (schema: Json, value: Json) => fitsSchema(shared, schema, value);
  const walk: Walk = { root, pattern, budget, names, unique, report, isFull, check, checkInside, fits };
  return walk;
}

const noValue = () => 'no value is allowed here';
const schemaUnits = 3;

/** Stops at the first fault and does not format it. */
function fitsSchema(shared: Shared, schema: Json, value: Json): boolean {
  if (typeof schema === 'boolean') return schema;
  spendSteps(shared.budget, schemaUnits);
  let isWrong = false;
  const report = () => {
    isWrong = true;
  };
  createWalk(shared, report, () => isWrong).check(schema, value);
  return !isWrong;
}

function planRules(schema: JsonObject, { budget, plans }: Shared): Plan {
  const names = Object.keys(schema);
  spendSteps(budget, names.length * memberUnits);
  const plan = names.flatMap((name): Plan => {
    const [rule, expected] = [rules.get(name), schema[name]];
    return rule && expected !== undefined ? [[rule, expected]] : [];
  });
  plans.set(schema, plan);
  return plan;
}

/** Regular expressions in linear time, loaded only for schemas with a pattern. */
export const patterns = lazyModule(() => import('../expression/regex.ts'));

async function loadPatterns(schema: JsonObject): Promise<PatternTest> {
  if (!hasPattern(schema)) return () => true;
  const { linearPattern } = patterns.loaded() ?? (await patterns.load());
  return patternTest(linearPattern);
}

const withPattern = new WeakMap<object, boolean>();

/** Remembers the result, because the schemas of a flow are needed in each of its runs. */
function hasPattern(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const known = withPattern.get(value);
  if (known !== undefined) return known;
  const found = Object.hasOwn(value, 'pattern') || Object.values(value).some(hasPattern);
  withPattern.set(value, found);
  return found;
}

/** Compiles each pattern once. Compiling and each match count steps. */
export function patternTest(
  compile: (source: string, spend?: (steps: number) => void) => LinearPattern,
): PatternTest {
  const known = new Map<string, LinearPattern>();
  return (source, text, budget) => {
    spendSteps(budget, matchUnits + textUnits(source));
    const pattern = known.get(source) ?? compile(source, (steps) => spendSteps(budget, steps * compileUnits));
    known.set(source, pattern);
    spendSteps(budget, Math.ceil(pattern.steps(text) * stepUnits));
    return pattern.test(text);
  };
}

/** About 1 µs, 2.5 µs and 40 ns. */
const matchUnits = 40;
const compileUnits = 100;
const stepUnits = 1.5;
