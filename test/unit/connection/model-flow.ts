// Runs flows over the real model port, against a scripted model server.
import { vi } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { TextPiece } from '#lib/flow/engine/output.ts';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { ModelCatalog } from '#lib/model/catalog.ts';
import { createModelPort } from '#lib/model/port.ts';
import type { ModelServer } from '#test/support/model-server.ts';
import { checkedFlow, run, type Script, scripted } from '../flow/scripted.ts';
import { noNames } from './loopback.ts';

/** One of each provider. */
export const modelIds = ['compatible', 'claude', 'nova'] as const;

const catalogOf = ({ url }: ModelServer): ModelCatalog => ({
  compatible: { provider: 'openai-compatible', base_url: `${url}/v1`, model: 'small' },
  claude: { provider: 'bedrock', model: 'anthropic.claude-3-haiku-20240307-v1:0' },
  nova: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' },
  guarded: {
    provider: 'bedrock',
    model: 'amazon.nova-pro-v1:0',
    guardrail: { id: 'abc123', version: '3' },
  },
});

function createPort(server: ModelServer) {
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', server.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'role-secret');
  return createModelPort({
    models: catalogOf(server),
    defaultModel: 'compatible',
    fetch: createGuardedFetch({ allowPrivate: [server.host] }, noNames),
  });
}

interface ModelRun {
  readonly model: string;
  readonly server: ModelServer;
  readonly script?: Script;
  readonly flow?: JsonObject;
  readonly options?: Partial<RunOptions>;
}

/** Retries do not wait. */
export async function runOver(
  nodes: Readonly<Record<string, unknown>>,
  { model, server, script, flow, options }: ModelRun,
) {
  const recorded = scripted(script);
  const pieces: TextPiece[] = [];
  const clock: typeof recorded.ports.clock = {
    ...recorded.clock,
    sleep: async (ms, signal) => (ms === 0 ? undefined : await recorded.clock.sleep(ms, signal)),
  };
  const ports = {
    ...recorded.ports,
    clock,
    model: createPort(server),
    text: (piece: TextPiece) => void pieces.push(piece),
  };
  const outcome: Outcome = await run(
    checkedFlow(nodes, { models: { default: { model } }, ...flow }),
    recorded,
    { ports, ...options },
  );
  return { ...recorded, outcome, pieces };
}
