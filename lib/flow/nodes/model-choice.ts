// Which model a node asks: the declared one, then its fallbacks. Shared by the types that ask models.
import type { CallerText } from '../engine/caller-text.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { endsRun, NodeError } from '../format/node-error.ts';
import { someNames } from '../format/some-names.ts';
import type { ModelAnswer, ModelRequest } from '../ports/model.ts';
import type { ModelSettings } from './model-settings.ts';
import type { DeclaredModel, Report, Surroundings } from './node-type.ts';

export function checkModel(name: string | undefined, { models }: Surroundings, report: Report): void {
  if (name === undefined || Object.hasOwn(models, name)) return;
  const known = Object.keys(models);
  const expected =
    known.length > 0 ? `one of ${someNames(known)}` : 'no `model`, because the flow declares no `models`';
  report(['model'], `unknown model "${name}": expected ${expected}`);
}

/** The model asked for, then its fallbacks in order, each once. Without a name the flow's `default`, else the tenant's. */
export function modelChoices(asked: string | undefined, { models }: Surroundings): readonly DeclaredModel[] {
  const choices = declaredModels(asked, models).flatMap((name) => models[name] ?? []);
  return choices.length > 0 ? choices : [{}];
}

/** Names of those that the flow declares. */
export function declaredModels(asked: string | undefined, models: Surroundings['models']): readonly string[] {
  const names = new Set<string>();
  let name: string | undefined = asked ?? 'default';
  while (name !== undefined && !names.has(name) && Object.hasOwn(models, name)) {
    names.add(name);
    name = models[name]?.fallback;
  }
  return [...names];
}

export async function firstAnswer(
  [choice = {}, ...rest]: readonly DeclaredModel[],
  context: NodeContext,
  settings: ModelSettings,
  asked: Omit<ModelRequest, 'model' | keyof ModelSettings>,
  callerText?: CallerText,
): Promise<ModelAnswer> {
  try {
    return await context.model({ ...asked, ...requested(choice, settings) }, callerText?.begin());
  } catch (error) {
    if (rest.length === 0 || !(error instanceof NodeError) || endsRun(error.code) || error.code === 'timeout')
      throw error;
    context.noteFallback(`${error.code}: ${error.message} The fallback model is tried.`);
    return firstAnswer(rest, context, settings, asked, callerText);
  }
}

function requested(choice: DeclaredModel, settings: ModelSettings) {
  const { provider, model, base_url } = choice;
  const temperature = settings.temperature ?? choice.temperature;
  const max_tokens = settings.max_tokens ?? choice.max_tokens;
  const reasoning = settings.reasoning ?? choice.reasoning;
  return {
    model: { ...(provider && { provider }), ...(model && { model }), ...(base_url && { base_url }) },
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { max_tokens }),
    ...(reasoning && { reasoning }),
  };
}
