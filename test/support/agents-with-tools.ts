// Live agents whose scripted model has tools.
import type { JsonObject } from '#lib/json/json.ts';
import { flow } from './builders.ts';
import { unique } from './caller.ts';
import { liveAgent, type TestAgent } from './flows.ts';
import { scriptedModels } from './model-script.ts';
import type { Upstream } from './upstream.ts';

/** Answers with the text of its model by default. `egress` has the hosts of its tools. */
export const agentWithTools = async (
  tools: readonly JsonObject[],
  { egress = [], answer = '{{ nodes.work.text }}', ...some }: JsonObject = {},
): Promise<TestAgent> =>
  await liveAgent({
    flow: flow({
      models: scriptedModels,
      egress,
      start: 'work',
      nodes: {
        work: { type: 'agent', instructions: 'Help.', tools, ...some, next: 'done' },
        done: { type: 'end', output: { answer } },
      },
    }),
  });

/** A refund of a place of its own, which needs an approval. */
export function refundTool({ url, calls }: Pick<Upstream, 'url' | 'calls'>) {
  const place = unique('refund');
  const tool = {
    name: 'refund',
    description: 'Pays back.',
    http: { method: 'POST', url: `${url}/count/${place}-{{ args.amount }}` },
    parameters: {
      type: 'object',
      properties: { amount: { type: 'integer', maximum: 100 } },
      required: ['amount'],
    },
    approval: 'always',
  };
  return { tool, paid: (amount: number) => calls(`${place}-${amount}`) };
}
