// `answer.message` in the `assign` of an `ask`: the A2A message that has the answer. The answer itself can be a text,
// which has no members, so the scope has the message under a name of its own, and paths that begin with
// `answer.message` are read there.
import type { Json } from '#lib/json/json.ts';
import { readPath } from './path.ts';
import type { Scope } from './scope.ts';

const answer = 'answer';
const message = 'message';
const joined = 'answer.message';

interface GivenAnswer {
  readonly value: Json;
  readonly message?: Json | undefined;
}

/** A member `message` of an answer that is data comes before the message that has the answer. */
export function answerScope({ value, message: sent }: GivenAnswer): Pick<Scope, 'answer' | 'answer.message'> {
  const own = readPath({ value }, ['value', message]);
  return { answer: value, [joined]: own === undefined ? (sent ?? null) : own };
}

/** The path as the scope has it. */
export const toScopePath = (names: readonly string[]): readonly string[] =>
  names[0] === answer && names[1] === message ? [joined, ...names.slice(2)] : names;

interface Step {
  readonly type?: unknown;
  readonly value?: unknown;
}

/** Changes the steps of a path that begins at the scope. */
export function joinAnswerMessage(steps: Step[]): void {
  const from = steps[0]?.type === 'variable' ? 1 : 0;
  const [first, second] = steps.slice(from, from + 2);
  if (!first || !second || !isPlainName(first, answer) || second.type !== 'name' || second.value !== message)
    return;
  steps.splice(from, 2, { ...second, value: joined });
}

/** Without what binds it to a variable or selects among several. */
const isPlainName = (step: Step, name: string) =>
  step.value === name && Object.keys(step).every((key) => ['type', 'value', 'position'].includes(key));
