// The guardrail of Amazon Bedrock that the tenant has declared for a model: how it is requested, and what it has done
// to an answer. Only types of the SDK are imported here.
import * as z from 'zod';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Tokens } from '#lib/flow/format/tokens.ts';
import type { ModelEntry } from './catalog.ts';

/**
 * The trace tells text that was masked from text that was blocked: Converse gives both the same stop reason. It is
 * not stored, because it quotes what it has found. With `sync`, Bedrock streams no text before it has assessed it.
 */
export function guardrailOptions(entry: ModelEntry, isStreamed: boolean) {
  if (entry.provider !== 'bedrock' || !entry.guardrail) return {};
  const { id, version } = entry.guardrail;
  return {
    bedrock: {
      guardrailConfig: {
        guardrailIdentifier: id,
        guardrailVersion: version,
        trace: 'enabled',
        ...(isStreamed && { streamProcessingMode: 'sync' }),
      },
    },
  };
}

interface Stop {
  readonly rawFinishReason: string | undefined;
  readonly providerMetadata: unknown;
}

/** Whether the guardrail has only masked parts of the text, as it is set to: then the text is the answer. */
export function isMasked(stop: Stop): boolean {
  if (!isIntervened(stop)) return false;
  const actions = listActions(stop.providerMetadata);
  return actions.has('ANONYMIZED') && !actions.has('BLOCKED');
}

/** Throws `guardrail.intervened` if the guardrail has blocked the request or the answer. */
export function refuseIntervened(stop: Stop, model: string, tokens: Tokens): void {
  if (!isIntervened(stop) || isMasked(stop)) return;
  throw new NodeError(
    'guardrail.intervened',
    `The guardrail of ${model} blocked the request or the answer.`,
    {
      tokens,
    },
  );
}

const isIntervened = ({ rawFinishReason }: Stop) => rawFinishReason === 'guardrail_intervened';

const traced = z.object({ bedrock: z.object({ trace: z.object({ guardrail: z.unknown() }) }) });

/** What was done with each finding, as `BLOCKED`, `ANONYMIZED` or `NONE`. */
function listActions(providerMetadata: unknown): ReadonlySet<unknown> {
  const actions = new Set<unknown>();
  const open: unknown[] = [traced.safeParse(providerMetadata).data?.bedrock.trace.guardrail];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    if ('action' in part) actions.add(part.action);
    for (const inner of Object.values(part)) if (inner !== undefined) open.push(inner);
  }
  return actions;
}
