// The sample build of a new local service: the support assistant of `events/flows`.
import { readFile } from 'node:fs/promises';
import type { CreateBody } from '#lib/registry/row/row.ts';
import { sampleOrdersUrl } from './sample-orders.ts';

export const exampleFlowid = 'support-triage';

const flowFile = new URL(`../../events/flows/${exampleFlowid}.json`, import.meta.url);

/** Its flow calls the sample shop at its current address. */
export async function exampleBuild(ordersUrl: string): Promise<CreateBody> {
  const text = await readFile(flowFile, 'utf8');
  return {
    flowid: exampleFlowid,
    flow_version: '1.0.0',
    visibility: 'organization',
    agent_card: {
      name: 'Support assistant',
      description: 'Answers questions about orders and refunds of the sample shop.',
      tags: ['support', 'orders'],
      skills: [
        {
          id: 'order-status',
          name: 'Order status',
          description: 'Tells where an order is and when it arrives.',
          examples: ['Where is my order 1042?'],
          inputModes: ['text/plain'],
          outputModes: ['text/plain', 'application/json'],
        },
      ],
    },
    flow: JSON.parse(text.replaceAll(sampleOrdersUrl, ordersUrl)),
  };
}
