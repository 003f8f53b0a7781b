// The authorizer of the connector as a subject, with a key that its process knows: what it computes for each request.
import './zod-as-deployed.ts';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { readEventText } from '#test/support/events.ts';
import { answer, sayReady } from './answering.ts';
import { measureCost, warmUp } from './measure.ts';

const { handler } = await import('#functions/connector/authorize.ts');
const [key = ''] = process.argv.slice(2);
const text = readEventText('connector/authorize').replaceAll('<API_KEY>', key);
const event: APIGatewayRequestAuthorizerEvent = JSON.parse(text);

async function decide(): Promise<void> {
  const [statement] = (await handler(event)).policyDocument.Statement;
  // A refusal is other work.
  if (statement?.Effect !== 'Allow') throw new Error('The authorizer refuses the key.');
}

answer({ cost: async () => (await measureCost(decide)).cpuMicros });
await warmUp(decide);
sayReady({});
