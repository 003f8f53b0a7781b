// The tests of flows: what they may contain, and what is reported of them.
import { describe, expect, test } from 'vitest';
import { expectationNames } from '#lib/flow/definition/flow-test.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { checkedFlow } from '../scripted.ts';
import { shipped, shop, tested } from './tested.ts';

describe('a test passes', () => {
  test.each<[string, Json]>([
    ['the response', '{{ response.status = "shipped" }}'],
    ['the environment of the build', '{{ response.shop = "Books" }}'],
    ['how the run ended', '{{ status = "completed" and error = null }}'],
    ['the way it took', '{{ path = ["order", "say", "done"] }}'],
    ['what nodes gave', '{{ nodes.order.body.status = "shipped" }}'],
    ['what was said on the way', '{{ replies[0].text = "It is shipped." }}'],
    ['what started it', '{{ input.message = "hello" }}'],
    ['anything, written without braces', 'response.status = "shipped"'],
  ])('when its expectation of %s is true', async (_what, expectation) => {
    expect(await tested({ mocks: shipped, expect: expectation })).toEqual({
      name: 'test 1',
      passed: true,
      expectation,
      path: ['order', 'say', 'done'],
    });
  });

  test('when a node is made to fail and the flow deals with it, without waiting for its retries', async () => {
    const mocks = { order: { error: { code: 'http.503', message: 'Closed.' } } };
    const outcome = 'response.status = "unknown" and nodes.order.error.message = "Closed."';
    expect(await tested({ mocks, expect: `{{ ${outcome} }}` })).toMatchObject({
      passed: true,
      path: ['order', 'unknown'],
    });
  });

  test('when it expects the failure that comes', async () => {
    const expected = '{{ status = "failed" and error.code = "fail.closed" and error.node_id = "stop" }}';
    const nodes = { stop: { type: 'fail', code: 'closed', message: 'We are closed.' } };
    expect(await tested({ expect: expected }, nodes)).toMatchObject({ passed: true });
  });
});

describe('a paused flow is resumed', () => {
  const asking = {
    who: { type: 'ask', prompt: 'Who?', next: 'count' },
    count: {
      type: 'ask',
      prompt: 'How many?',
      schema: { type: 'integer' },
      timeout_seconds: 86_400,
      on_timeout: 'late',
      next: 'done',
    },
    late: { type: 'end', output: { late: true } },
    done: { type: 'end', output: { who: '{{ nodes.who }}', count: '{{ nodes.count }}' } },
  };

  test('with the answers of the test, in order', async () => {
    const expected = '{{ response = {"who": "Ada", "count": 3} }}';
    expect(await tested({ answers: ['Ada', 3], expect: expected }, asking)).toMatchObject({ passed: true });
  });

  test('at once to where time is up, when there is no answer left', async () => {
    const expected = '{{ response.late }}';
    expect(await tested({ answers: ['Ada'], expect: expected }, asking)).toMatchObject({
      passed: true,
      path: ['who', 'count', 'late'],
    });
  });

  test('unless there is neither an answer nor a time: then the test fails by the name of the node', async () => {
    expect(await tested({}, asking)).toMatchObject({
      passed: false,
      error: 'The node "who" asks a question, and the test has no answer left: add one to `answers`.',
    });
  });

  test('unless an answer does not fit', async () => {
    expect(await tested({ answers: ['Ada', 'many'] }, asking)).toMatchObject({
      passed: false,
      error: expect.stringContaining('expected integer'),
    });
  });

  test('over waits of days, which take no time', async () => {
    const nodes = {
      pause: { type: 'wait', seconds: 604_800, next: 'done' },
      done: { type: 'end', output: {} },
    };
    expect(await tested({ expect: '{{ status = "completed" }}' }, nodes)).toMatchObject({ passed: true });
  });
});

describe('an expectation sees what a caller sees:', () => {
  test('the message of an A2A client and what is known of it', async () => {
    const a2a = { message: { contextId: 'c-1' }, messageId: 'm-1', metadata: { tier: 'gold' } };
    const nodes = {
      done: {
        type: 'end',
        output: { tier: '{{ input.a2a.metadata.tier }}', in: '{{ input.a2a.message.contextId }}' },
      },
    };
    const expected = 'response = {"tier": "gold", "in": "c-1"} and input.a2a.messageId = "m-1"';
    expect(await tested({ input: { a2a }, expect: `{{ ${expected} }}` }, nodes)).toMatchObject({
      passed: true,
    });
  });

  test('artifacts assembled from their chunks, those of the end, and the messages', async () => {
    const chunk = (text: string, more: JsonObject, next: string) => ({
      type: 'reply',
      text,
      artifact: { artifact_id: 'report', ...more },
      next,
    });
    const nodes = {
      first: chunk('Sales ', { name: 'Report' }, 'second'),
      second: chunk('rose.', { append: true, last_chunk: true }, 'file'),
      file: { type: 'reply', file: { url: 'https://files.example/a.pdf' }, next: 'done' },
      done: { type: 'end', output: {}, artifacts: [{ name: 'Numbers', data: { sold: 7 } }] },
    };
    const expected = [
      'artifacts[0] = {"artifact_id": "report", "name": "Report", "parts": [{"text": "Sales rose."}]}',
      'artifacts[name = "Numbers"].parts[0].data.sold = 7',
      'replies[2].file.url = "https://files.example/a.pdf"',
      'replies[1].artifact.append',
      'as = "task"',
    ].join(' and ');
    expect(await tested({ expect: `{{ ${expected} }}` }, nodes)).toMatchObject({ passed: true });
  });

  test('the last message, the labels of the response, and what the run said it does', async () => {
    const nodes = {
      first: { type: 'reply', text: 'Looking.', as: 'status', next: 'done' },
      done: { type: 'end', output: {}, message: 'Done.', response_artifact: { name: 'Result' } },
    };
    const expected = 'message = "Done." and response_artifact.name = "Result" and replies[0].as = "status"';
    expect(await tested({ expect: `{{ ${expected} }}` }, nodes)).toMatchObject({ passed: true });
  });

  test('the message of an answer', async () => {
    const ask = {
      type: 'ask',
      prompt: 'Which?',
      assign: { id: '{{ answer.message.messageId }}' },
      next: 'done',
    };
    const nodes = { ask, done: { type: 'end', output: { file: '{{ nodes.ask }}', id: '{{ state.id }}' } } };
    const parts = [{ raw: 'eA==', mediaType: 'text/csv', filename: 'a.csv' }];
    const answers = [{ a2a: { message: { messageId: 'm-2', parts } } }];
    const file = '{"raw": "eA==", "bytes": 1, "media_type": "text/csv", "filename": "a.csv"}';
    const expected = `response = {"file": ${file}, "id": "m-2"}`;
    expect(await tested({ answers, expect: `{{ ${expected} }}` }, nodes)).toMatchObject({ passed: true });
  });

  test('exactly what it may name', async () => {
    const nodes = { done: { type: 'end', output: {} } };
    const names = JSON.stringify([...expectationNames].sort());
    expect(await tested({ expect: `{{ $sort($keys($$)) = ${names} }}` }, nodes)).toMatchObject({
      passed: true,
    });
  });

  test('how the end answers A2A clients', async () => {
    const nodes = { done: { type: 'end', output: { text: 'No.' }, as: 'rejected' } };
    expect(await tested({ expect: '{{ as = "rejected" }}' }, nodes)).toMatchObject({ passed: true });
  });

  test('what the flow asked', async () => {
    const nodes = { who: { type: 'ask', prompt: 'Who, {{ input.message }}?', choices: ['Ada', 'Bo'] } };
    const expected =
      'input_requests.prompt = "Who, hello?" and input_requests[0].choices[1] = "Bo" and input_requests[0].node_id = "who"';
    expect(await tested({ answers: ['Ada'], expect: `{{ ${expected} }}` }, nodes)).toMatchObject({
      passed: true,
    });
  });
});

describe('a test fails', () => {
  test('with what the run gave when its expectation is not true', async () => {
    expect(await tested({ mocks: shipped, expect: '{{ response.status }}' })).toMatchObject({
      passed: false,
      got: { status: 'completed', response: { status: 'shipped' } },
      error: 'Expected true, but the expectation gives shipped.',
    });
  });

  test('and names the node that reaches for the outside, whatever the flow would catch', async () => {
    const greedy = { ...shop, order: { ...shop.order, catch: [{ on: ['*'], next: 'unknown' }] } };
    expect(await tested({ input: { user_variables: { id: 1 } } }, greedy)).toMatchObject({
      passed: false,
      path: ['order'],
      error: 'The node "order" calls an HTTP API, and the test has no mock for it: add one to `mocks`.',
    });
  });

  test('when its expectation cannot be evaluated', async () => {
    const result = await tested({ mocks: shipped, expect: '{{ 1 + "x" }}' });
    expect(result).toMatchObject({ passed: false, error: expect.stringContaining('1 + "x"') });
  });

  test('when it does not come to an end in time', async () => {
    const endless = { again: { type: 'transform', output: '{{ $now() }}', next: 'again' } };
    const flow = checkedFlow(endless, {
      limits: { max_steps: 1_000 },
      tests: [1, 2].map(() => ({ input: {}, expect: 'true' })),
    });
    const late = { ...clock, monotonic: () => performance.now() * 1e6 };
    const { tests } = await testFlow(flow, { clock: late, timeoutMs: 1_000 });
    expect(tests.map(({ passed }) => passed)).toEqual([false, false]);
    expect(tests[1]?.error).toBe('Not run: the time for the tests of a flow is up.');
  });

  test('when the tests before it have taken the processor time of all', async () => {
    const flow = checkedFlow(
      { done: { type: 'end', output: {} } },
      { tests: [1, 2, 3].map(() => ({ input: {}, expect: 'true' })) },
    );
    // A second for each time that it is asked: at the beginning, and before each test.
    let asked = 0;
    const cpuMs = () => 1_000 * asked++;
    const { tests } = await testFlow(flow, { clock, timeoutMs: 5_000, cpuMs });
    expect(tests.map(({ passed }) => passed)).toEqual([true, false, false]);
    expect(tests[1]?.error).toBe('Not run: the time for the tests of a flow is up.');
  });

  test('with no more than the beginning of a long response', async () => {
    const long = { done: { type: 'end', output: { text: '{{ $pad("", 30000, "x") }}' } } };
    const result = await tested({ expect: 'false' }, long);
    expect(JSON.stringify(result?.got).length).toBeLessThan(2_000);
  });
});
