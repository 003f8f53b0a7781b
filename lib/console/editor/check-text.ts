// Reads and checks the text of a flow as the service would, and gives each mistake and warning its position. Pure.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import { describeRepeated, repeatedNames } from '#lib/json/duplicate-keys.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { createJsonLocate, findJsonMistake } from '#lib/json/json-positions.ts';
import { parsePointer } from '#lib/json/pointer.ts';
import type { Locate, Position } from '#lib/json/position.ts';
import { isJsonText, type Problem } from './flow-text.ts';

export interface CheckedText {
  /** The document, also one with mistakes; undefined if it is none. */
  readonly flow: JsonObject | undefined;
  readonly problems: readonly Problem[];
  /** Mistakes that are not listed. */
  readonly unlisted: number;
}

interface ReadText {
  readonly value: unknown;
  readonly locate: Locate;
  readonly problems: readonly Problem[];
}

export async function checkText(text: string): Promise<CheckedText & { readonly checked?: Flow }> {
  const read = await readText(text);
  if (!('locate' in read)) return { flow: undefined, problems: [read], unlisted: 0 };
  const { value, locate, problems } = read;
  const result = checkFlow(value);
  const found = result.ok
    ? result.warnings.map((each) => locateProblem(each, 'warning', locate))
    : result.errors.map((each) => locateProblem(each, 'error', locate));
  return {
    flow: isObject(value) ? value : undefined,
    problems: [...problems, ...found],
    unlisted: result.ok ? 0 : result.total - result.errors.length,
    ...(result.ok && problems.length === 0 && { checked: result.flow }),
  };
}

/** Gives mistakes that the service has found their positions in the text. */
export async function locateMistakes(text: string, mistakes: readonly Mistake[]): Promise<Problem[]> {
  const read = await readText(text);
  if (!('locate' in read)) return [read];
  return mistakes.map((each) => locateProblem(each, 'error', read.locate));
}

interface Mistake {
  readonly pointer: string;
  readonly detail: string;
}

const locateProblem = (
  { pointer, detail }: Mistake,
  severity: Problem['severity'],
  locate: Locate,
): Problem => ({ severity, pointer, detail, ...(locate(parsePointer(pointer)) ?? { line: 1, column: 1 }) });

async function readText(text: string): Promise<ReadText | Problem> {
  if (!isJsonText(text)) return await readYamlText(text);
  const mistake = findJsonMistake(text);
  if (mistake) return unreadable(mistake.position, `this is not JSON: ${mistake.reason}`);
  const locate = createJsonLocate(text);
  const repeated = repeatedNames(text).map((each) => locateProblem(describeRepeated(each), 'error', locate));
  return { value: JSON.parse(text), locate, problems: repeated };
}

async function readYamlText(text: string): Promise<ReadText | Problem> {
  const { readYaml } = await import('#lib/yaml/read-yaml.ts');
  const read = readYaml(text);
  if (read.isYaml) return { ...read, problems: [] };
  return unreadable(read.position, `this cannot be read as YAML: ${read.reason}`);
}

const unreadable = (position: Position, detail: string): Problem => ({
  severity: 'error',
  pointer: '',
  detail,
  ...position,
});
