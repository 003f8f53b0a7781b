// Which model a node calls: the declared one, then its fallbacks. Shared by the types that call models.
import { someNames, suggesting } from '../format/some-names.ts';
import { type ModelSettings, seedProblem } from './model-settings.ts';
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
