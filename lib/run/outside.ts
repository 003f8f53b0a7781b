// The ports through which a run reaches the network, made from the function's environment with the first use.
import { parseEgressPolicy } from '#lib/connection/egress-policy.ts';
import { createGuardedFetch } from '#lib/connection/guarded-fetch.ts';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { parseTenantModels } from '#lib/connection/model-catalog.ts';
import { createModelPort } from '#lib/connection/model-port.ts';
import { optionalEnv } from '#lib/env.ts';
import type { Ports } from '#lib/flow/ports.ts';

let made: Pick<Ports, 'http' | 'model'> | undefined;

export function outsidePorts(): Pick<Ports, 'http' | 'model'> {
  made ??= make();
  return made;
}

function make(): Pick<Ports, 'http' | 'model'> {
  const fetch = createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  const models = parseTenantModels(optionalEnv('MODELS'), optionalEnv('MODEL_DEFAULT'));
  return { http: createHttpPort(fetch), model: createModelPort({ ...models, fetch }) };
}
