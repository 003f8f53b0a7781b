// Asks a model for an answer that a node can use: complete where the node requires that, and of the declared form.
// A model whose answer does not match `output_schema` is shown its mistakes once.
import { truncate } from '#lib/truncate.ts';
import type { CallerText } from '../engine/caller-text.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { addTokens } from '../format/tokens.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../ports/model.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import { withParts } from './attached-files.ts';
import type { OnCut } from './model-settings.ts';

/** Who asks, and what it may use for an answer. */
export interface Asking {
  readonly context: NodeContext;
  readonly onCut: OnCut;
  /** Reserves a further call, in which the model corrects its answer. False if there is none left. */
  readonly takeCorrection: () => boolean;
  readonly callerText: CallerText | undefined;
  /** Whether messages say nothing about the contents of an answer, which is still to be checked. */
  readonly hidesAnswer: boolean;
}

/** Throws `model.invalid_output` and `model.cut`, and what the port throws. */
export async function askForAnswer(request: ModelRequest, asking: Asking): Promise<ModelAnswer> {
  const answer = await ask(request, asking);
  const fault = await findFault(answer, request, asking);
  if (fault === undefined) return requireWhole(answer, asking);
  if (isCut(answer)) throw cut(answer);
  const { context, takeCorrection, hidesAnswer } = asking;
  const invalid = (one: ModelAnswer, why: string) => invalidOutput(one, hidesAnswer ? undefined : why);
  const { modelCalls, tokens } = context.left();
  if (modelCalls === 0 || tokens === 0 || !takeCorrection()) throw invalid(answer, fault);
  context.noteFallback(`${invalid(answer, fault).message} The model is asked to correct it.`);
  const messages = [...request.messages, ...toCorrection(answer, fault)];
  const second = await ask({ ...request, messages }, asking);
  const again = await findFault(second, request, asking);
  if (again !== undefined) throw isCut(second) ? cut(second) : invalid(second, again);
  return requireWhole({ ...second, tokens: addTokens(answer.tokens, second.tokens) }, asking);
}

const ask = (request: ModelRequest, { context, callerText }: Asking) =>
  context.model({ ...request, messages: withParts(request.messages, context.at) }, callerText?.begin());

/** Providers promise the form. It is checked here, because later nodes rely on it. */
async function findFault(
  { output, isMalformed, tool_calls, kept }: ModelAnswer,
  { output_schema }: ModelRequest,
  { context }: Asking,
): Promise<string | undefined> {
  if (!output_schema || tool_calls) return undefined;
  if (isMalformed) return 'it is not JSON';
  const faults = await findValueFaults(output_schema, output, context.at.compute);
  if (faults.length === 0) return undefined;
  return truncate((kept ? [longIntegers, ...faults] : faults).join('; '), faultCharsMax);
}

const longIntegers = `integers beyond ${Number.MAX_SAFE_INTEGER} are read as text, which the schema may not allow`;

const faultCharsMax = 2000;

/** Providers refuse messages without text. */
function toCorrection({ output }: ModelAnswer, fault: string): readonly ModelMessage[] {
  const content = asText(output);
  const correction = `Your answer does not match the JSON Schema of the answer: ${fault}. Answer again, with nothing but JSON that matches it.`;
  return [
    ...(content.trim() === '' ? [] : [{ role: 'assistant' as const, content }]),
    { role: 'user', content: correction },
  ];
}

function requireWhole(answer: ModelAnswer, { onCut }: Asking): ModelAnswer {
  if (onCut === 'fail' && isCut(answer) && !answer.tool_calls) throw cut(answer);
  return answer;
}

const isCut = ({ finish_reason }: ModelAnswer) => finish_reason === 'length';

const cut = ({ model }: ModelAnswer) =>
  new NodeError('model.cut', `${model} reached max_tokens before its answer was complete.`);

const invalidOutput = ({ model }: ModelAnswer, fault: string | undefined) =>
  new NodeError(
    'model.invalid_output',
    `The answer of ${model} does not match output_schema${fault === undefined ? '' : `: ${fault}`}.`,
  );
