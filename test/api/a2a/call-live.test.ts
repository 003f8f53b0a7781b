import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problem } from '#lib/http/problem.ts';
import { agentUrls, asTask, newMessage, officialClient, post, rpc, sending } from '#test/support/a2a.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { callingFlow, failingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { eventually } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const newClient = async (agent: TestAgent) => await officialClient(agentUrls(agent).live, agent.key);

/** The events of a stream, each shortened to its essential fields. */
async function readEvents(stream: AsyncIterable<unknown>): Promise<string[]> {
  const events: string[] = [];
  for await (const each of stream) events.push(shortened(each));
  return events;
}

function shortened(response: unknown): string {
  const { payload } = response as {
    payload: {
      $case: string;
      value: { status?: { state: TaskState; message?: { parts: { content: { value: unknown } }[] } } };
    };
  };
  const { status } = payload.value;
  if (!status) return payload.$case;
  const text = status.message?.parts.map((part) => JSON.stringify(part.content.value)).join();
  return [payload.$case, TaskState[status.state], text].filter(Boolean).join(' ');
}

describe('200', () => {
  test('SendMessage returns the completed task with the response as its artifact', async () => {
    const agent = await liveAgent();
    const task = asTask(await (await newClient(agent)).sendMessage(sending('Hello')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts).toHaveLength(1);
    expect(task.artifacts[0]?.parts.map((part) => part.content)).toEqual([{ $case: 'text', value: 'Hello' }]);
    expect(task.history.map((each) => each.parts[0]?.content)).toEqual([{ $case: 'text', value: 'Hello' }]);
    expect(task.history[0]).toMatchObject({ taskId: task.id, contextId: task.contextId });
  });

  test('a failed run is a failed task with its error', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const task = asTask(await (await newClient(agent)).sendMessage(sending('tea')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(JSON.stringify(task.status?.message?.parts)).toContain('No stock of tea.');
    expect(task.artifacts).toEqual([]);
  });

  test('a stream sends the task, the replies of the flow, the artifact and the end, in this order', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const client = await newClient(agent);
    expect(await readEvents(client.sendMessageStream(sending('Hello')))).toEqual([
      'task TASK_STATE_WORKING',
      'statusUpdate TASK_STATE_WORKING "Looking."',
      'statusUpdate TASK_STATE_WORKING {"found":1}',
      'artifactUpdate',
      'statusUpdate TASK_STATE_COMPLETED',
    ]);
  });

  test('a stream of a failed run ends with the failure and has no artifact', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const events = await readEvents((await newClient(agent)).sendMessageStream(sending('tea')));
    expect(events).toHaveLength(2);
    expect(events[1]).toMatch(/^statusUpdate TASK_STATE_FAILED .*No stock of tea/);
  });

  test('a reply has the same message id in the stream and in the history', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const client = await newClient(agent);
    const ids: string[] = [];
    let taskId = '';
    for await (const { payload } of client.sendMessageStream(sending('Hello'))) {
      if (payload?.$case === 'task') taskId = payload.value.id;
      if (payload?.$case === 'statusUpdate' && payload.value.status?.message)
        ids.push(payload.value.status.message.messageId);
    }
    const { history } = await client.getTask({ id: taskId, tenant: '' });
    expect(history.slice(1).map((each) => each.messageId)).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });

  test('a client that disconnects from the stream does not stop the task', async () => {
    const [gate, later] = [unique('gate'), unique('later')];
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${later}`]) });
    const client = await newClient(agent);
    const leave = new AbortController();
    let taskId = '';
    const listen = async () => {
      for await (const { payload } of client.sendMessageStream(sending(''), { signal: leave.signal }))
        if (payload?.$case === 'task') {
          taskId = payload.value.id;
          leave.abort();
        }
    };
    await listen().catch(() => undefined);
    await upstream.arrived(gate);
    upstream.open(gate);
    const task = await eventually(
      () => client.getTask({ id: taskId, tenant: '' }),
      ({ status }) => status?.state === TaskState.TASK_STATE_COMPLETED,
    );
    expect(task.artifacts).toHaveLength(1);
    expect(upstream.calls(later)).toBe(1);
  });

  test('CancelTask aborts the node in progress, and the stream ends with the state canceled', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${gate}-later`]) });
    const client = await newClient(agent);
    const events: string[] = [];
    let canceled: Promise<unknown> | undefined;
    for await (const each of client.sendMessageStream(sending(''))) {
      events.push(shortened(each));
      if (each.payload?.$case !== 'task') continue;
      const { id } = each.payload.value;
      canceled = upstream
        .arrived(gate)
        .then(() => client.cancelTask({ id, tenant: '', metadata: undefined }));
    }
    expect(await canceled).toMatchObject({ status: { state: TaskState.TASK_STATE_CANCELED }, artifacts: [] });
    expect(events).toEqual(['task TASK_STATE_WORKING', 'statusUpdate TASK_STATE_CANCELED']);
    await upstream.abandoned(gate);
    expect(upstream.calls(`${gate}-later`)).toBe(0);
  });

  test('when a task is canceled while it ends, one outcome wins and all clients see the same one', async () => {
    const places = [1, 2, 3].map((n) => `count/${unique(`race${n}`)}`);
    const agent = await liveAgent({ flow: callingFlow(upstream, places) });
    const client = await newClient(agent);
    const race = async () => {
      let last: TaskState | undefined;
      let canceling: Promise<string | undefined> | undefined;
      let id = '';
      for await (const { payload } of client.sendMessageStream(sending(''))) {
        if (payload?.$case === 'statusUpdate') last = payload.value.status?.state;
        if (payload?.$case !== 'task') continue;
        id = payload.value.id;
        canceling = client.cancelTask({ id, tenant: '', metadata: undefined }).then(
          (task) => TaskState[task.status?.state ?? 0],
          (error: Error) => error.name,
        );
      }
      const { status, artifacts } = await client.getTask({ id, tenant: '' });
      expect(status?.state).toBe(last);
      expect(artifacts.length).toBe(status?.state === TaskState.TASK_STATE_COMPLETED ? 1 : 0);
      expect(await canceling).toBe(
        status?.state === TaskState.TASK_STATE_CANCELED ? 'TASK_STATE_CANCELED' : 'TaskNotCancelableError',
      );
    };
    await Promise.all(Array.from({ length: 12 }, race));
  });

  test('structured parts become variables, and an empty text is a valid message', async () => {
    const agent = await liveAgent({
      flow: flow({
        nodes: {
          done: {
            type: 'end',
            output: {
              m: '{{ input.message }}',
              v: '{{ input.user_variables }}',
              id: '{{ input.a2a.messageId }}',
            },
          },
        },
      }),
    });
    const parts = [{ text: '' }, { data: { order: 1, kept: true } }, { data: { order: 2 } }, { text: 'b' }];
    const task = asTask(await (await newClient(agent)).sendMessage(sending('', { parts, messageId: 'm-7' })));
    expect(task.artifacts[0]?.parts.at(-1)?.content?.value).toEqual({
      m: '\nb',
      v: { order: 2, kept: true },
      id: 'm-7',
    });
  });

  test('a flow reads the ids of its task and the metadata of the request', async () => {
    const output = { a2a: '{{ $merge([input.a2a, {"message": null}]) }}' };
    const agent = await liveAgent({ flow: flow({ nodes: { done: { type: 'end', output } } }) });
    const message = newMessage('x', { messageId: 'm-8', metadata: { of: 'message' } });
    const params = { message, metadata: { of: 'request' } };
    const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', params);
    const { id, contextId, artifacts } = z
      .looseObject({ id: z.string(), contextId: z.string(), artifacts: z.unknown() })
      .parse(result?.task);
    expect(artifacts).toMatchObject([
      {
        parts: [
          {
            data: {
              a2a: {
                messageId: 'm-8',
                metadata: { of: 'message' },
                requestMetadata: { of: 'request' },
                taskId: id,
                contextId,
              },
            },
          },
        ],
      },
    ]);
  });

  test('promotion moves the live URL to the other build', async () => {
    const agent = await liveAgent();
    const next = await newRow(agent, {
      flowid: agent.flowid,
      flow: flow({ nodes: { done: { type: 'end', output: { build: 2 } } } }),
    });
    await promoted(agent, next);
    const task = asTask(await (await newClient(agent)).sendMessage(sending('x')));
    expect(task.artifacts[0]?.parts.at(-1)?.content?.value).toEqual({ build: 2 });
  });
});

describe('401', () => {
  test('a key of another organisation and any key for a missing agent get the same response', async () => {
    const agent = await liveAgent();
    const stranger = await liveAgent();
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: newMessage('x') },
    });
    const [foreign, missing] = await Promise.all(
      [agent.flowid, unique('flow')].map(async (flowid) => {
        const response = await post(agentUrls({ ...agent, flowid }).live, { text, key: stranger.key });
        const body = { ...problem.parse(await response.json()), instance: '' };
        const own = new Set(['x-request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'date']);
        return {
          status: response.status,
          body,
          headers: [...response.headers].filter(([name]) => !own.has(name)),
        };
      }),
    );
    expect(foreign?.status).toBe(401);
    expect(foreign).toEqual(missing);
  });

  test('the owner of an agent without a live build is told so, and nobody else', async () => {
    const owner = await newCaller();
    const { flowid } = await newRow(owner);
    const ask = async (key: string) =>
      (await call('callLiveAgent', { params: { flowId: flowid }, key, body: {} })).problem;
    // The second request finds the owner in the memory of the process.
    for (const answer of [await ask(owner.key), await ask(owner.key)])
      expect(answer).toMatchObject({ status: 401, detail: expect.stringMatching(/^No build of .* is live/) });
    const { key } = await newCaller();
    expect((await ask(key)).detail).not.toContain(flowid);
  });

  test('all reasons to refuse a caller give the same response, which explains what to check', async () => {
    const [open, own] = [await liveAgent({ visibility: 'public' }), await liveAgent()];
    const { key } = await newCaller();
    const tampered = `${key.slice(0, -4)}AAAA`;
    const readRefusal = async (flowId: string, sent: { key?: string }) => {
      const { problem } = await call('callLiveAgent', { params: { flowId }, body: {}, ...sent });
      return { ...problem, instance: '' };
    };
    const answers = await Promise.all([
      readRefusal(open.flowid, {}),
      readRefusal(open.flowid, { key: 'garbage' }),
      readRefusal(open.flowid, { key: tampered }),
      readRefusal(own.flowid, { key }),
      readRefusal(unique('flow'), { key: own.key }),
      readRefusal(unique('flow'), {}),
    ]);
    expect(answers[0]).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(answers[0]?.detail).toMatch(/X-API-Key or Authorization: Bearer.*organisation.*URL/);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe('413', () => {
  test('a body of more than 1 MB is refused before it is read', async () => {
    const agent = await liveAgent();
    const answer = await call('callLiveAgent', {
      params: { flowId: agent.flowid },
      key: agent.key,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: newMessage('x'.repeat(1_048_576)) },
      },
    });
    expect(answer.status).toBe(413);
    expect(answer.problem.detail).toContain('1048576');
  });
});
