// Opens the guardrails of a node, for flows that have some.
import { lazyModule } from '#lib/lazy.ts';
import type { PassText } from './guarding.ts';
import type { GuardrailFields } from './guardrails-field.ts';

/** Loaded only for flows that have some. */
export const guardrailChecks = lazyModule(() => import('./run-guardrails.ts'));

/** Undefined without checks. */
export function prepareGuardrails(fields: GuardrailFields | undefined): PassText | undefined {
  if (!fields) return undefined;
  let pass: PassText | undefined;
  return async (side, text, guarding) => {
    if (!fields[side]) return text;
    const { prepareChecks } = guardrailChecks.loaded() ?? (await guardrailChecks.load());
    pass ??= prepareChecks(fields);
    return await pass(side, text, guarding);
  };
}
