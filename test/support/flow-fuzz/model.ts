// The model of generated flows: it uses tools for a while, then answers; sometimes badly.
import type { ModelAnswer, ModelRequest, ToolDeclaration } from '#lib/flow/ports/model.ts';
import type { Json } from '#lib/json/json.ts';
import { hash } from './faults.ts';

const tokens = (drawn: number) => ({ input: drawn % 11, output: drawn % 7 });

export function answerAsModel(request: ModelRequest, key: string, salt: number): ModelAnswer {
  const drawn = hash(key, salt);
  const about = { model: 'test/scripted', tokens: tokens(drawn) };
  const { tools = [], messages, tool_choice } = request;
  const used = messages.filter(({ role }) => role === 'tool').length;
  const wantsTool = tool_choice === 'required' || (used < 2 && drawn % 3 > 0);
  if (tools.length > 0 && tool_choice !== 'none' && wantsTool) {
    const count = 1 + (drawn % 2);
    const calls = Array.from({ length: count }, (_, n) => toCall(tools, hash(`${key} ${n}`, salt), `c${n}`));
    return { ...about, output: '', tool_calls: calls, finish_reason: 'tool_calls' };
  }
  const output = request.output_schema ? { n: drawn % 5 } : `said ${drawn % 97}`;
  return { ...about, output, finish_reason: 'stop' };
}

/** Answers that are none, or not what was asked for. */
export function answerBadly(request: ModelRequest, key: string, salt: number): ModelAnswer {
  const drawn = hash(`bad ${key}`, salt);
  const about = { model: 'test/scripted', tokens: tokens(drawn) };
  const tool_calls = [
    { id: 'c0', name: 'no_such_tool', arguments: {} },
    { id: 'c1', name: request.tools?.[0]?.name ?? 'x', arguments: '{"cut of' },
  ];
  const answers: readonly ModelAnswer[] = [
    {
      ...about,
      output: 'cut of',
      finish_reason: 'length',
      ...(request.output_schema && { isMalformed: true }),
    },
    { ...about, output: request.output_schema ? { n: 'one' } : '', finish_reason: 'stop' },
    request.tools
      ? { ...about, output: '', tool_calls, finish_reason: 'tool_calls' }
      : { ...about, output: '' },
    {
      ...about,
      output: 'filtered',
      finish_reason: 'content_filter',
      ...(request.output_schema && { isMalformed: true }),
    },
  ];
  return answers[drawn % answers.length] ?? { ...about, output: '' };
}

function toCall(tools: readonly ToolDeclaration[], drawn: number, id: string) {
  const tool = tools[drawn % tools.length];
  return { id, name: tool?.name ?? '', arguments: toArguments(tool?.parameters, drawn >>> 5) };
}

/** By what the parameters require; now and then what they do not allow. */
function toArguments(parameters: Json | undefined, drawn: number): Json {
  if (drawn % 9 === 0) return { id: 17 };
  const names =
    typeof parameters === 'object' && parameters !== null && 'properties' in parameters
      ? Object.keys(Object(parameters.properties))
      : [];
  const known: Readonly<Record<string, Json>> = {
    id: 'abc',
    message: 'do',
    question: 'which',
    text: 'at work',
    fact: drawn % 4,
  };
  return Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name] ?? null]));
}
