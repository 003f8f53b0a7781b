// Files of answers that clients receive without asking for the task: by push notification, and by `call_agent`.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { mcpClient } from '#test/support/connector.ts';
import { uploadFile } from '#test/support/files.ts';
import { liveAgent } from '#test/support/flows.ts';
import { delivered } from '#test/support/push.ts';
import { startPushReceiver } from '#test/support/receiver.ts';

const content = Buffer.from('id,total\n1,2\n');
const report = { name: 'orders.csv', media_type: 'text/csv', content };

const reporting = (file: string) =>
  flow({
    start: 'done',
    nodes: { done: { type: 'end', output: {}, artifacts: [{ name: 'report', file: { file } }] } },
  });

/** An agent that answers with a file. */
async function reportingAgent() {
  const owner = await liveAgent();
  return await liveAgent({ flow: reporting(await uploadFile(owner, report)) }, owner);
}

/** Of A2A, and of the connector. */
const filePart = z.union([
  z.looseObject({ url: z.string(), mediaType: z.string(), filename: z.string() }),
  z
    .looseObject({ url: z.string(), media_type: z.string(), filename: z.string() })
    .transform(({ media_type: mediaType, ...part }) => ({ ...part, mediaType })),
]);

/** The URLs of files that stand anywhere in what a client received, each with its name and type. */
function findFiles(received: unknown): z.infer<typeof filePart>[] {
  if (typeof received !== 'object' || received === null) return [];
  const own = filePart.safeParse(received).data;
  return [...(own ? [own] : []), ...Object.values(received).flatMap(findFiles)];
}

const download = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

test('a push notification has the link to the file with its name and type', async () => {
  const agent = await reportingAgent();
  const receiver = await startPushReceiver();
  const configuration = { taskPushNotificationConfig: { url: receiver.url } };
  const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', {
    message: newMessage('Hello'),
    configuration,
  });
  await delivered(readTaskId(result));
  await receiver.close();
  const [file] = receiver.received.flatMap(({ body }) => findFiles(JSON.parse(body)));
  expect(file).toMatchObject({ mediaType: 'text/csv', filename: 'orders.csv' });
  expect(await download(file?.url ?? '')).toEqual(content);
});

test('call_agent returns the link to the file with its name and type, also in the text', async () => {
  const agent = await reportingAgent();
  const client = await mcpClient(agent);
  const result = await client.callTool({
    name: 'call_agent',
    arguments: { registry_id: agent.a2aregistryid, message: 'Hello' },
  });
  await client.close();
  const [file] = findFiles(result.structuredContent);
  expect(file).toMatchObject({ mediaType: 'text/csv', filename: 'orders.csv' });
  expect(await download(file?.url ?? '')).toEqual(content);
  expect(JSON.stringify(result.content)).toContain(new URL(file?.url ?? '').pathname);
});
