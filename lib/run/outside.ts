// The ports through which a run reaches the network, made from the function's environment with the first use.
import { parseEgressPolicy } from '#lib/connection/egress-policy.ts';
import { createGuardedFetch } from '#lib/connection/guarded-fetch.ts';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { parseTenantModels, type TenantModels } from '#lib/connection/model-catalog.ts';
import { createModelPort } from '#lib/connection/model-port.ts';
import { optionalEnv } from '#lib/env.ts';
import type { Ports } from '#lib/flow/ports.ts';
import { type Usage, usageOf } from './usage.ts';

type Outside = Pick<Ports, 'http' | 'model'>;
let made: { readonly ports: Outside; readonly models: TenantModels } | undefined;

/** `onUsage` hears what each answer of a model has used. */
export function outsidePorts(onUsage: (usage: Usage) => void): Outside {
  made ??= make();
  const { ports, models } = made;
  return {
    ...ports,
    model: async (request, call) => {
      const answer = await ports.model(request, call);
      onUsage(usageOf(answer, models));
      return answer;
    },
  };
}

function make() {
  const fetch = createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  const models = parseTenantModels(optionalEnv('MODELS'), optionalEnv('MODEL_DEFAULT'));
  return { ports: { http: createHttpPort(fetch), model: createModelPort({ ...models, fetch }) }, models };
}
