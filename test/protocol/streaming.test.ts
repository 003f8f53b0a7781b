// The bytes of a stream (A2A v1.0.1 §9.4.2): server-sent events, each a JSON-RPC response of its own.
import { describe, expect, test } from 'vitest';
import { agentUrls, newMessage, post, rpcAnswer } from '#test/support/a2a.ts';
import { liveAgent, replyingFlow } from '#test/support/flows.ts';

const asked = (params: object, id: string | number = 's-1') =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'SendStreamingMessage', params });

describe('a stream', () => {
  test('is sent as server-sent events that may not be cached, each a response with the id of the request', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const response = await post(agentUrls(agent).live, {
      key: agent.key,
      text: asked({ message: newMessage('Hello') }, 7),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const events = (await response.text()).split('\n\n').filter((event) => event !== '');
    const answers = events.map((event) => rpcAnswer.parse(JSON.parse(event.replace(/^data: ?/, ''))));
    expect(events.every((event) => /^data: ?\{.*\}$/.test(event))).toBe(true);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([7]));
    expect(answers.map(({ result }) => Object.keys(result ?? {}))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['statusUpdate'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
  });

  test('keeps text with line breaks and separators within one event', async () => {
    const agent = await liveAgent();
    const odd = 'one\ntwo\r\n\r\ndata: three\u2028four\u0000';
    const response = await post(agentUrls(agent).live, {
      key: agent.key,
      text: asked({ message: newMessage(odd) }),
    });
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
    expect(frames).toHaveLength(3);
    const { result } = rpcAnswer.parse(JSON.parse(frames[1]?.replace(/^data: ?/, '') ?? ''));
    expect(result).toMatchObject({
      artifactUpdate: { artifact: { parts: [{ text: odd, mediaType: 'text/plain' }] } },
    });
  });

  test('has the ids of task and context in every update, and a complete artifact', async () => {
    const agent = await liveAgent();
    const text = asked({ message: newMessage('x', { contextId: 'ctx-1' }) });
    const frames = (await (await post(agentUrls(agent).live, { key: agent.key, text })).text()).split('\n\n');
    const [task, artifact, end] = frames
      .slice(0, 3)
      .map((frame) => JSON.parse(frame.replace(/^data: ?/, '')).result);
    const { id } = task.task;
    expect(task.task).toMatchObject({ contextId: 'ctx-1', status: { state: 'TASK_STATE_WORKING' } });
    expect(artifact.artifactUpdate).toMatchObject({ taskId: id, contextId: 'ctx-1', lastChunk: true });
    expect(end.statusUpdate).toMatchObject({
      taskId: id,
      contextId: 'ctx-1',
      status: { state: 'TASK_STATE_COMPLETED' },
    });
    expect(end.statusUpdate.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
