// Which model a node calls: the declared one, then its fallbacks. Shared by the types that call models.
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { endsRun, NodeError } from '../format/node-error.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../ports/model.ts';
import { type Asking, askForAnswer } from './model-answer.ts';
import { type ModelSettings, pickSettings, seedProblem } from './model-settings.ts';
import type { CheckSurroundings, DeclaredModel, Report, Surroundings } from './node-type.ts';

type ModelUser = ModelSettings & { readonly model?: string | undefined };

export function checkModel(
  user: ModelUser,
  { models, findNearName }: CheckSurroundings,
  report: Report,
): void {
  const { model: name } = user;
  if (name !== undefined && !Object.hasOwn(models, name)) {
    const known = Object.keys(models);
    const expected =
      known.length > 0
        ? `expected one of ${someNames(known)}`
        : `expected no \`model\`, because the flow declares no \`models\`: to call the model "${name}" of the tenant, declare it as "models": {"default": {"model": …}}`;
    report(['model'], `unknown model "${name}": ${suggesting(findNearName(name, known), expected)}`);
    return;
  }
  const [first = ''] = declaredModels(name, models);
  const problem = seedProblem(models[first]?.provider, user);
  if (problem) report(['seed'], problem);
}

/**
 * The named model, then its fallbacks in order, each once. The name defaults to the flow's `default`; without
 * that, the tenant's default model is used.
 */
export function modelChoices(name: string | undefined, { models }: Surroundings): readonly DeclaredModel[] {
  const choices = declaredModels(name, models).flatMap((declared) => models[declared] ?? []);
  return choices.length > 0 ? choices : [{}];
}

/** Their names, as far as the flow declares them. */
export function declaredModels(first: string | undefined, models: Surroundings['models']): readonly string[] {
  const names = new Set<string>();
  let name: string | undefined = first ?? 'default';
  while (name !== undefined && !names.has(name) && Object.hasOwn(models, name)) {
    names.add(name);
    name = models[name]?.fallback;
  }
  return [...names];
}

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
    if (rest.length === 0 || !(error instanceof NodeError) || endsRun(error.code) || error.code === 'timeout')
      throw error;
    context.noteFallback(`${error.code}: ${error.message} The fallback model is tried.`);
    return askModels(request, { ...asking, choices: rest });
  }
}

/** Asks for a text apart from the conversation of the node, such as a summary of it. */
export const textAsker =
  (choices: readonly DeclaredModel[], context: NodeContext) =>
  async (messages: readonly ModelMessage[]): Promise<string> => {
    const asking = { choices, context, settings: {}, onCut: undefined, takeCorrection: () => false };
    return asText((await askModels({ messages }, { ...asking, callerText: undefined })).output);
  };

function toModelRequest(choice: DeclaredModel, settings: ModelSettings) {
  const { provider, model, base_url } = choice;
  return {
    model: { ...(provider && { provider }), ...(model && { model }), ...(base_url && { base_url }) },
    ...pickSettings(choice),
    ...pickSettings(settings),
  };
}
