// Warns about models that a flow declares and that the tenant does not have: each call of them would fail.
import type { Warning } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { nearName } from '#lib/flow/format/near-name.ts';
import { someNames, suggesting } from '#lib/flow/format/some-names.ts';
import type { ModelChoice } from '#lib/flow/ports/model.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { boundedMistake, mistakesMax } from '#lib/mistakes.ts';
import { selectModel, type TenantModels } from './catalog.ts';

export function findUnknownModels({ models = {} }: Flow, tenant: TenantModels): readonly Warning[] {
  const unknown = Object.entries(models).filter(([, choice]) => !selectModel(toChoice(choice), tenant));
  return unknown.slice(0, mistakesMax).map(([name, choice]) => {
    const pointer = pointerTo(['models', name, ...(choice.model === undefined ? [] : ['model'])]);
    return boundedMistake({ pointer, code: 'unknown_model', detail: describe(toChoice(choice), tenant) });
  });
}

const toChoice = ({ provider, model, base_url }: Partial<Record<keyof ModelChoice, string | undefined>>) => ({
  ...(provider !== undefined && { provider }),
  ...(model !== undefined && { model }),
  ...(base_url !== undefined && { base_url }),
});

function describe({ provider, model, base_url }: ModelChoice, { models }: TenantModels): string {
  const names = Object.keys(models);
  if (names.length === 0)
    return 'the tenant has no models, so each call fails: expected one to be configured';
  if (provider === undefined && base_url === undefined)
    return `the tenant has no model "${model ?? ''}": ${suggesting(nearName(model ?? '', names), `expected one of ${someNames(names)}`)}`;
  const ids = Object.values(models)
    .filter((entry) => entry.provider === provider)
    .map((entry) => entry.model);
  const wanted = `provider "${provider ?? ''}"${base_url === undefined ? '' : ` at ${base_url}`}`;
  const expected = `expected the name of one without \`provider\` (${someNames(names)})`;
  return `the tenant has no model "${model ?? ''}" of the ${wanted}: ${suggesting(nearName(model ?? '', ids), expected)}`;
}
