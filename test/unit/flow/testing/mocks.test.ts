// What nodes give in the tests of a flow instead of running.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { shipped, tested } from './tested.ts';

test('nodes inside others are mocked like any others, and so are those around them', async () => {
  const nodes = {
    each: {
      type: 'map',
      items: [1, 2],
      body: { start: 'look', nodes: { look: { type: 'http', url: 'https://api.shop.example/{{ item }}' } } },
      next: 'done',
    },
    done: { type: 'end', output: { all: '{{ nodes.each }}' } },
  };
  expect(
    await tested({ mocks: { look: 'x' }, expect: '{{ response.all = ["x", "x"] }}' }, nodes),
  ).toMatchObject({
    passed: true,
    path: ['each', 'look', 'look', 'done'],
  });
  expect(
    await tested({ mocks: { each: [] }, expect: '{{ $count(response.all) = 0 }}' }, nodes),
  ).toMatchObject({
    passed: true,
    path: ['each', 'done'],
  });
});

describe('a mock', () => {
  const each = {
    each: {
      type: 'map',
      items: '{{ input.user_variables.ids }}',
      on_error: 'collect',
      body: {
        start: 'look',
        nodes: {
          look: { type: 'http', url: 'https://api.shop.example/{{ item }}', next: 'size' },
          size: {
            type: 'parallel',
            branches: { a: { start: 'deep', nodes: { deep: { type: 'transform', output: 0 } } } },
          },
        },
      },
      next: 'done',
    },
    done: { type: 'end', output: { all: '{{ nodes.each }}' } },
  };

  test('`by_item` gives each item of a map its own, whatever its order', async () => {
    const mocks = {
      look: { by_item: [1, { error: { code: 'http.404' } }, 3] },
      deep: { by_item: [4, 5, 6] },
    };
    const expected = 'response.all.a = [4, 6] and response.all[1].error.code = "http.404"';
    const input = { user_variables: { ids: ['a', 'b', 'c'] } };
    expect(await tested({ input, mocks, expect: `{{ ${expected} }}` }, each)).toMatchObject({ passed: true });
  });

  test('`by_item` may give an item one thing after another', async () => {
    const retry = { max_attempts: 2, delay_ms: 60_000, on: ['http.503'] };
    const look = { type: 'http', url: 'https://api.shop.example/{{ item }}', retry };
    const nodes = {
      each: { type: 'map', items: [1, 2], body: { start: 'look', nodes: { look } }, next: 'done' },
      done: { type: 'end', output: { all: '{{ nodes.each }}' } },
    };
    const mocks = { look: { by_item: [{ in_order: [{ error: { code: 'http.503' } }, 'a'] }, 'b'] } };
    expect(await tested({ mocks, expect: '{{ response.all = ["a", "b"] }}' }, nodes)).toMatchObject({
      passed: true,
    });
  });

  test('`by_item` that has none for an item fails the test, whatever the flow would collect', async () => {
    const input = { user_variables: { ids: ['a', 'b'] } };
    expect(await tested({ input, mocks: { look: { by_item: [1] } } }, each)).toMatchObject({
      passed: false,
      error: 'The node "look" runs for item 1, and `by_item` of its mock has outputs for 1 only.',
    });
  });

  test('`in_order` gives each attempt its own', async () => {
    const mocks = { order: { in_order: [{ error: { code: 'http.503' } }, shipped.order] } };
    expect(await tested({ mocks, expect: '{{ response.status = "shipped" }}' })).toMatchObject({
      passed: true,
    });
  });

  test('`in_order` continues after questions, and fails the test when no mock is left', async () => {
    const nodes = {
      draft: { type: 'http', url: 'https://api.shop.example/draft', next: 'ask' },
      ask: { type: 'ask', prompt: 'Is {{ nodes.draft }} good?', choices: ['no'], next: 'draft' },
    };
    const mocks = { draft: { in_order: ['one', 'two'] } };
    expect(await tested({ mocks, answers: ['no', 'no', 'no'] }, nodes)).toMatchObject({
      passed: false,
      path: ['draft', 'ask', 'draft', 'ask', 'draft'],
      error: 'The node "draft" runs more often than its mock has outputs in `in_order`, which are 2.',
    });
  });
});

describe('a mock does what its node does beside its output:', () => {
  test('an agent sets the variables that it captures', async () => {
    const capture = { order: { description: 'The number.', schema: { type: 'integer' } } };
    const nodes = {
      talk: { type: 'agent', instructions: 'x', capture, next: 'done' },
      done: { type: 'end', output: { order: '{{ state.order }}', text: '{{ nodes.talk.text }}' } },
    };
    const mocks = { talk: { text: 'Thanks.', data: null, captured: { order: 7 }, turns: 1 } };
    const expected = '{{ response = {"order": 7, "text": "Thanks."} }}';
    expect(await tested({ mocks, expect: expected }, nodes)).toMatchObject({ passed: true });
  });

  test.each<[string, JsonObject, Json]>([
    ['model', { type: 'llm', prompt: 'x' }, 'Sales rose.'],
    ['agent', { type: 'agent', instructions: 'x' }, { text: 'Sales rose.', data: null, turns: 1 }],
  ])('the text of a streaming %s is an artifact, that of others is not', async (_what, node, output) => {
    const nodes = {
      streamed: { ...node, stream: true, next: 'kept' },
      kept: { ...node, next: 'done' },
      done: { type: 'end', output: {} },
    };
    const artifact = { artifact_id: 'streamed.1', name: 'streamed', parts: [{ text: 'Sales rose.' }] };
    const expected = `artifacts = [${JSON.stringify(artifact)}] and replies = []`;
    const mocks = { streamed: output, kept: output };
    expect(await tested({ mocks, expect: `{{ ${expected} }}` }, nodes)).toMatchObject({ passed: true });
  });

  test('a question has an answer that its `assign` sees, in an expression and as a bare path', async () => {
    const assign = { yes: '{{ answer = "y" }}', said: '{{ answer }}' };
    const nodes = {
      sure: { type: 'ask', prompt: 'Sure?', choices: ['y', 'n'], assign, next: 'done' },
      done: { type: 'end', output: { yes: '{{ state.yes }}', said: '{{ state.said }}' } },
    };
    const expected = '{{ response = {"yes": true, "said": "y"} }}';
    expect(await tested({ mocks: { sure: 'y' }, expect: expected }, nodes)).toMatchObject({ passed: true });
  });
});
