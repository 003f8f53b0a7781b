// Checks a value against a JSON Schema of the supported dialect. The value is never changed: no defaults, nothing stripped. Everything that
// walks the schema or the value counts against one budget, see `work.ts`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { lazyModule } from '#lib/lazy.ts';
import { truncate } from '#lib/truncate.ts';
import type { LinearPattern } from '../expression/regex.ts';
import { isObject } from '../format/json-value.ts';
import type { Known } from './kinds.ts';
import { type Rule, rules, type Walk } from './rules.ts';
import {
  memberUnits,
  type SchemaSteps,
  schemaWork,
  spendSteps,
  textUnits,
  tooComplex,
} from './step-budget.ts';

/** Faults as sentences that begin with the JSON pointer of the place; empty when the value fits. At most ten. Throws `schema.too_complex`. */
export async function schemaFaults(
  schema: JsonObject,
  value: Json,
  work?: SchemaSteps,
): Promise<readonly string[]> {
  return (await preparedFaults(schema))(value, work);
}

/** The same in two steps: what has to be loaded first, and then the check, which runs without a pause and may be given less work than usual. */
export async function preparedFaults(schema: JsonObject) {
  const pattern = await patternsOf(schema);
  return (value: Json, work?: SchemaSteps): readonly string[] =>
    faultsIn(schema, value, pattern, work).map(sentence);
}

export interface Fault {
  /** RFC 6901, from the value's own root. */
  readonly pointer: string;
  readonly detail: string;
}

export const sentence = ({ pointer, detail }: Fault): string => `${pointer || 'the value'}: ${detail}`;

/** The same at once, for who has the regular expressions already; `work` may be shared by many values. */
export function faultsIn(
  schema: JsonObject,
  value: Json,
  pattern: PatternTest,
  work: SchemaSteps = schemaWork(),
): readonly Fault[] {
  const faults: Fault[] = [];
  const shared: Shared = {
    ...{ root: schema, work, path: [], depth: 0, plans: new Map(), names: new Map(), unique: new Map() },
    pattern: (source, text) => pattern(source, text, work),
  };
  const report = (detail: () => string) => {
    const pointer = pointerTo(shared.path.map((step) => (isLong(step) ? `${truncate(step, 100)}…` : step)));
    faults.push({ pointer, detail: detail() });
  };
  walkWith(shared, report, () => faults.length >= faultsMax).check(schema, value);
  return faults;
}

const faultsMax = 10;
/** Of references and schemas passed through: a schema that only refers to itself would never end. */
const depthMax = 256;

const isLong = (step: string | number): step is string => typeof step === 'string' && step.length > 100;

/** Takes its work from the budget. */
export type PatternTest = (source: string, text: string, work: SchemaSteps) => boolean;

/** One evaluation, also where only a yes or no is asked for. */
interface Shared extends Known, Pick<Walk, 'root' | 'pattern'> {
  readonly path: (string | number)[];
  depth: number;
  /** The keywords of each schema that ask something of a value. */
  readonly plans: Map<JsonObject, Plan>;
}

type Plan = readonly (readonly [Rule, Json])[];

function walkWith(shared: Shared, report: Walk['report'], isFull: Walk['isFull']): Walk {
  const { root, pattern, work, names, unique, path } = shared;
  const check = (schema: Json, value: Json) => {
    if (schema === true) return;
    if (!isObject(schema)) return report(noValue);
    if (++shared.depth > depthMax) throw tooComplex();
    const plan = shared.plans.get(schema) ?? planOf(schema, shared);
    spendSteps(work, visitUnits + plan.length);
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
  const fits = (schema: Json, value: Json) => isFitting(shared, schema, value);
  const walk: Walk = { root, pattern, work, names, unique, report, isFull, check, checkInside, fits };
  return walk;
}

const noValue = () => 'no value is allowed here';
const visitUnits = 3;

/** Stops at the first fault, and puts none into words. */
function isFitting(shared: Shared, schema: Json, value: Json): boolean {
  if (typeof schema === 'boolean') return schema;
  spendSteps(shared.work, visitUnits);
  let isWrong = false;
  const report = () => {
    isWrong = true;
  };
  walkWith(shared, report, () => isWrong).check(schema, value);
  return !isWrong;
}

function planOf(schema: JsonObject, { work, plans }: Shared): Plan {
  const names = Object.keys(schema);
  spendSteps(work, names.length * memberUnits);
  const plan = names.flatMap((name): Plan => {
    const [rule, expected] = [rules.get(name), schema[name]];
    return rule && expected !== undefined ? [[rule, expected]] : [];
  });
  plans.set(schema, plan);
  return plan;
}

/** The regular expressions of linear time, loaded only for schemas that have one. */
export const patterns = lazyModule(() => import('../expression/regex.ts'));

async function patternsOf(schema: JsonObject): Promise<PatternTest> {
  if (!hasPattern(schema)) return () => true;
  const { linearPattern } = patterns.loaded() ?? (await patterns.load());
  return patternTest(linearPattern);
}

const withPattern = new WeakMap<object, boolean>();

/** The schemas of a flow are asked about in each of its runs, and walked once. */
function hasPattern(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const known = withPattern.get(value);
  if (known !== undefined) return known;
  const found = Object.hasOwn(value, 'pattern') || Object.values(value).some(hasPattern);
  withPattern.set(value, found);
  return found;
}

/** Each is compiled once; to compile it and each of its matches take their work. */
export function patternTest(
  compile: (source: string, spend?: (steps: number) => void) => LinearPattern,
): PatternTest {
  const known = new Map<string, LinearPattern>();
  return (source, text, work) => {
    spendSteps(work, matchUnits + textUnits(source));
    const pattern = known.get(source) ?? compile(source, (steps) => spendSteps(work, steps * compileUnits));
    known.set(source, pattern);
    spendSteps(work, Math.ceil(pattern.steps(text) * stepUnits));
    return pattern.test(text);
  };
}

/** Some 1 µs, 2.5 µs and 40 ns. */
const matchUnits = 40;
const compileUnits = 100;
const stepUnits = 1.5;
