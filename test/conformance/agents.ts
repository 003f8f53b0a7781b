// Stores the flows of the suite's tasks as agents, and breaks one of them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import type { Send } from '#lib/local/send.ts';
import { brokenFlow, taskFlows } from './fixture-tasks.ts';

const row = z.looseObject({ a2aregistryid: z.string() });
const rows = '/api/v1/a2a-registry';

/** The ids of the agents by the names of their tools. */
export async function storeAgents(send: Send, workspaceid: string): Promise<Record<string, string>> {
  const store = async (flowid: string, nodes: object) => {
    const skills = [{ id: flowid, name: flowid, description: 'Acts out a state of a task.', tags: ['test'] }];
    const body = {
      flowid,
      agent_card: { name: flowid, description: 'A tool of the conformance suite.', skills },
      flow: { version: 1, name: flowid, ...nodes },
    };
    const { a2aregistryid } = row.parse(await send(`POST ${rows}?workspaceid=${workspaceid}`, body));
    await send(`PUT ${rows}/${a2aregistryid}/promote-live`);
    return a2aregistryid;
  };
  await deletePayload(await store('broken', brokenFlow));
  const ids: Record<string, string> = {};
  for (const [tool, nodes] of Object.entries(taskFlows)) ids[tool] = await store(tool, nodes);
  return ids;
}

/** A build whose flow is lost: what calls it fails by a defect. */
async function deletePayload(registryId: string): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const TableName = requireEnv('CONTROL_TABLE');
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': `AGENT#${registryId}`, ':sk': 'PAYLOAD#' },
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    const deletes = Items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: deletes } }));
  }
}
