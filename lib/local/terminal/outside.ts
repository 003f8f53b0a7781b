// The ways out of a run in the terminal: those of the service, with the models of the environment or else the demo's scripted one.
import { parseEgressPolicy } from '#lib/connection/egress-policy.ts';
import { createGuardedFetch } from '#lib/connection/guarded-fetch.ts';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { parseTenantModels, type TenantModels } from '#lib/connection/model-catalog.ts';
import { createModelPort } from '#lib/connection/model-port.ts';
import type { Ports } from '#lib/flow/ports.ts';
import { demoModels, startDemoModel } from '../demo-model.ts';
import { demoModelId } from '../demo-script.ts';

export interface Outside {
  readonly ports: Pick<Ports, 'http' | 'model'>;
  /** Whether the models are not real ones. */
  readonly isScripted: boolean;
  readonly close: () => Promise<void>;
}

/** `allowPrivate` names local hosts that the flow may reach, as `host:port`. */
export async function openOutside(allowPrivate: readonly string[]): Promise<Outside> {
  const { MODELS, MODEL_DEFAULT, EGRESS_ALLOW_PRIVATE = '' } = process.env;
  const demo = MODELS === undefined ? await startDemoModel() : undefined;
  const models: TenantModels = demo
    ? { models: demoModels(demo.url), defaultModel: demoModelId }
    : parseTenantModels(MODELS, MODEL_DEFAULT);
  const own = demo ? [new URL(demo.url).host] : [];
  const fetch = createGuardedFetch(parseEgressPolicy([EGRESS_ALLOW_PRIVATE, ...allowPrivate, ...own].join()));
  return {
    ports: { http: createHttpPort(fetch), model: createModelPort({ ...models, fetch }) },
    isScripted: demo !== undefined,
    close: async () => demo?.close(),
  };
}
