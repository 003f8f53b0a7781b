// Asks the models of a node in order, until one gives an answer.
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { endsRun, isGuardrail, NodeError } from '../format/node-error.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../ports/model.ts';
import { type Asking, askForAnswer } from './model-answer.ts';
import { type ModelSettings, pickSettings } from './model-settings.ts';
import type { DeclaredModel } from './node-type.ts';

interface AskingModels extends Asking {
  readonly choices: readonly DeclaredModel[];
  readonly settings: ModelSettings;
}

type AskedRequest = Omit<ModelRequest, 'model' | keyof ModelSettings>;

/** Throws `model.*`. The answer matches `output_schema`, and its tokens include those of a correction. */
export async function askModels(request: AskedRequest, asking: AskingModels): Promise<ModelAnswer> {
  const [choice = {}, ...rest] = asking.choices;
  const { context, settings } = asking;
  try {
    return await askForAnswer({ ...request, ...toModelRequest(choice, settings) }, asking);
  } catch (error) {
    if (rest.length === 0 || !(error instanceof NodeError) || !isFailureOfModel(error)) throw error;
    context.noteFallback(`${error.code}: ${error.message} The fallback model is tried.`);
    return askModels(request, { ...asking, choices: rest });
  }
}

/** What a guardrail has blocked, no model without one may answer. */
const isFailureOfModel = ({ code }: NodeError) => !endsRun(code) && code !== 'timeout' && !isGuardrail(code);

/** Asks for a text apart from the conversation of the node, such as a summary of it. */
export const textAsker =
  (choices: readonly DeclaredModel[], context: NodeContext) =>
  async (messages: readonly ModelMessage[]): Promise<string> => {
    const asking = { choices, context, settings: {}, onCut: undefined, takeCorrection: () => false };
    const silent = { ...asking, callerText: undefined, hidesAnswer: false };
    return asText((await askModels({ messages }, silent)).output);
  };

function toModelRequest(choice: DeclaredModel, settings: ModelSettings) {
  const { provider, model, base_url } = choice;
  return {
    model: { ...(provider && { provider }), ...(model && { model }), ...(base_url && { base_url }) },
    ...pickSettings(choice),
    ...pickSettings(settings),
  };
}
