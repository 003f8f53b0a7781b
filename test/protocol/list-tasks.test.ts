// The official JavaScript client lists tasks: its request and its response in the forms of its own codecs.
import { ListTasksRequest, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { liveAgent, replyingFlow } from '#test/support/flows.ts';

test.each(['JSONRPC', 'HTTP+JSON'] as const)(
  'the client lists its tasks page by page over %s, and each equals the task that it was sent',
  async (binding) => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const client = await officialClient(agentUrls(agent).live, agent.key, binding);
    const first = asTask(await client.sendMessage(sending('one', { contextId: 'ctx-1' })));
    const second = asTask(await client.sendMessage(sending('two', { contextId: 'ctx-2' })));
    const page = { pageSize: 1, includeArtifacts: true, status: TaskState.TASK_STATE_COMPLETED };
    const one = await client.listTasks(ListTasksRequest.fromJSON(page));
    expect(one).toEqual({ tasks: [second], nextPageToken: one.nextPageToken, pageSize: 1, totalSize: 2 });
    const pageToken = one.nextPageToken;
    const two = await client.listTasks(ListTasksRequest.fromJSON({ ...page, pageToken }));
    expect(two).toEqual({ tasks: [first], nextPageToken: '', pageSize: 1, totalSize: 2 });
    const context = await client.listTasks(ListTasksRequest.fromJSON({ contextId: 'ctx-1' }));
    expect(context.tasks).toEqual([{ ...first, artifacts: [] }]);
  },
);
