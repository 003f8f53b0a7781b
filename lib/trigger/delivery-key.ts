// The `key` of a trigger that delivers: a text whose expressions read the event. Loaded by the first trigger that has one.
import { callableNames } from '#lib/flow/expression/built-ins.ts';
import { parseExpression } from '#lib/flow/expression/language.ts';
import { typedTemplate } from '#lib/flow/expression/template.ts';
import { eventKeyExpected, readEventKey } from '#lib/flow/format/event-name.ts';
import { nearName } from '#lib/flow/format/near-name.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { suggesting } from '#lib/flow/format/some-names.ts';
import { parseSegments } from '#lib/flow/format/template-segments.ts';
import type { Json } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { computeOnce } from '#lib/run/compute/compute-port.ts';
import { truncate } from '#lib/truncate.ts';

/** Describes the mistake of a text with expressions; undefined if there is none. The service gives events of a source their form. */
export function findKeyMistake(text: string, isOfSource: boolean): string | undefined {
  const readable = isOfSource ? ofSource : ofAnySender;
  try {
    for (const part of parseSegments(text)) {
      if (!('expression' in part)) continue;
      const { paths, unknown } = parseExpression(part.expression);
      const mistake = describeFunction(unknown[0]) ?? firstOf(paths, (path) => describePath(path, readable));
      if (mistake !== undefined) return mistake;
    }
    return undefined;
  } catch (error) {
    if (error instanceof NodeError) return error.message;
    throw error;
  }
}

function firstOf<T>(values: readonly T[], describe: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = describe(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function describeFunction(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const near = nearName(name, callableNames);
  const expected = 'expected a function of JSONata, or a variable of the expression';
  return `unknown name "$${name}": ${suggesting(near && `$${near}`, expected)}`;
}

/** What an expression can read: the event only, as no run has begun. */
const ofAnySender = [['input'], ['event']];
const ofSource = [...ofAnySender, ['event', 'data']];

function describePath(
  names: readonly string[],
  readable: readonly (readonly string[])[],
): string | undefined {
  const at = names.findIndex((name, index) => readable[index]?.includes(name) === false);
  if (at === -1) return undefined;
  const around = names.slice(0, at);
  const known = (readable[at] ?? []).map((name) => [...around, name].join('.'));
  const near = nearName(names[at] ?? '', readable[at] ?? []);
  const name = truncate([...around, names[at]].join('.'), 80);
  return `unknown name "${name}": ${suggesting(near && [...around, near].join('.'), `expected ${known.join(', ')}`)}`;
}

/** Throws `NodeError` where the expressions do, or give no key. The event is `input.event`, as in a flow. */
export async function evaluateKey(
  text: string,
  event: Json,
  { id, orgid, at }: { readonly id: string; readonly orgid: string; readonly at: string },
): Promise<string> {
  const input = { message: '', user_variables: {}, event };
  const scope = { input, state: {}, env: {}, nodes: {}, run: { id, started_at: at, turn: 1 } };
  const compute = computeOnce(orgid);
  const render = typedTemplate(text);
  const value = await render({ scope, pace: () => undefined, cpuMs: clock.cpuMs, compute, made: 0 });
  const key = readEventKey(value);
  if (key !== undefined) return key;
  throw new NodeError('wait.bad_key', `The key of the event: ${eventKeyExpected}.`);
}
