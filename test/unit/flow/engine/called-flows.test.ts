// What a node can do with other flows and with its own memory: the mechanism that node types build on, tried
// out with nodes made here.
import { describe, expect, test } from 'vitest';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { CompiledFlow, NodeContext, RunNode } from '#lib/flow/engine/node-context.ts';
import type { FlowPort } from '#lib/flow/engine/ports.ts';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import { checkedFlow, emptyInput, modelAnswer, type Script, scripted, startedAt } from '../scripted.ts';

const outer = checkedFlow(
  {
    call: {
      type: 'transform',
      output: null,
      catch: [{ on: ['flow.limit', 'http.*'], next: 'done' }],
      next: 'done',
    },
    done: { type: 'end', output: { call: '{{ nodes.call }}', steps: 1 } },
  },
  { limits: { max_steps: 20, max_model_calls: 5 } },
);

/** The outer flow, with its first node replaced. */
function calling(run: RunNode): CompiledFlow {
  const compiled = compileFlow(outer);
  const node = compiled.nodes.get('call');
  if (!node) throw new Error('The flow has no node to replace.');
  return { ...compiled, nodes: new Map([...compiled.nodes, ['call', { ...node, run, isLong: true }]]) };
}

const found = (flow: Flow, flowid = 'inner') => ({
  flow: compileFlow(flow),
  flowid,
  build: 'b1',
  env: { place: 'inner' },
});

const calls =
  (inner: Flow): RunNode =>
  async (context) => {
    const { end } = context.callFlow('it', { found: found(inner), message: 'Hi', user_variables: { n: 1 } });
    const came = await end;
    if (came.status === 'completed') return { output: came.output };
    if (came.status === 'failed') throw came.error;
    return { pause: { kind: 'inside' } };
  };

const runCompiled = async (flow: CompiledFlow, script: Script = {}, options: Partial<RunOptions> = {}) => {
  const recorded = scripted(script);
  const { signal } = new AbortController();
  const outcome = await runFlow(flow, {
    runId: 'run-1',
    input: emptyInput,
    startedAt,
    signal,
    ports: recorded.ports,
    ...options,
  });
  return { outcome, recorded };
};

describe('a called flow', () => {
  test('sees its own input, state and environment and nothing else; its response is the output', async () => {
    const inner = checkedFlow(
      {
        say: {
          type: 'end',
          output: {
            message: '{{ input.message }}',
            n: '{{ input.user_variables.n }}',
            place: '{{ env.place }}',
            s: '{{ state.s }}',
            nodes: '{{ nodes }}',
          },
        },
      },
      { state: { s: 'own' } },
    );
    const { outcome } = await runCompiled(calling(calls(inner)));
    expect(outcome).toMatchObject({
      response: { call: { message: 'Hi', n: 1, place: 'inner', s: 'own', nodes: {} } },
    });
  });

  test('is refused when its input or its response does not fit it', async () => {
    const object = (type: string) => ({ type: 'object', properties: { n: { type } } });
    const answer = { say: { type: 'end', output: { n: 1 } } };
    for (const [more, code] of [
      [{ input: object('string') }, 'input.invalid'],
      [{ output: object('string') }, 'output.invalid'],
    ] as const) {
      const { outcome } = await runCompiled(calling(calls(checkedFlow(answer, more))));
      expect(outcome).toMatchObject({ error: { code } });
    }
  });

  test('passing a limit of its own fails the call, which the caller can catch', async () => {
    const loop = checkedFlow(
      { again: { type: 'transform', output: 1, next: 'again' } },
      { limits: { max_steps: 3 } },
    );
    const { outcome } = await runCompiled(calling(calls(loop)));
    expect(outcome).toMatchObject({
      response: {
        call: { error: { code: 'flow.limit', message: 'The called flow passed its limit of 3 steps.' } },
      },
    });
  });

  test('what it uses counts for the caller, whose limits end the run', async () => {
    const loop = checkedFlow({ ask: { type: 'llm', prompt: 'x', next: 'ask' } });
    const { outcome, recorded } = await runCompiled(calling(calls(loop)));
    expect(outcome).toMatchObject({
      error: { code: 'limit.model_calls', message: 'The run passed its limit of 5 model calls.' },
    });
    expect(recorded.prompts).toHaveLength(5);
  });

  test('that asks makes the run ask, and continues where it was paused', async () => {
    const inner = checkedFlow({
      model: { type: 'llm', prompt: 'x', next: 'q' },
      q: { type: 'ask', prompt: 'Sure?', next: 'say' },
      say: { type: 'end', output: { said: '{{ nodes.model }} {{ nodes.q }}' } },
    });
    const flow = calling(calls(inner));
    const { outcome: first } = await runCompiled(flow, { model: () => modelAnswer('once') });
    expect(first).toMatchObject({ status: 'input_required', requests: [{ id: 'call.1.it.q.1' }] });
    const snapshot = 'snapshot' in first ? JSON.parse(JSON.stringify(first.snapshot)) : undefined;
    const { outcome, recorded } = await runCompiled(flow, {}, { snapshot, answer: { value: 'yes' } });
    expect(outcome).toMatchObject({ response: { call: { said: 'once yes' } } });
    expect(recorded.prompts).toEqual([]);
  });

  test('that changed while the run stood still ends it with a clear word', async () => {
    const q = { type: 'ask', prompt: 'Sure?' };
    const { outcome: first } = await runCompiled(calling(calls(checkedFlow({ q }))));
    const snapshot = 'snapshot' in first ? first.snapshot : undefined;
    const { outcome } = await runCompiled(
      calling(calls(checkedFlow({ other: q }))),
      {},
      { ...(snapshot && { snapshot }) },
    );
    expect(outcome).toMatchObject({
      error: { code: 'snapshot.unfit', message: expect.stringContaining('no node "q"') },
    });
  });
});

describe('the chain of calls', () => {
  const finding =
    (flowid: string): RunNode =>
    async (context) => {
      const { build } = await context.findFlow({ flowid });
      return { output: { build, chain: context.chain, left: context.left().depth } };
    };
  const flows: FlowPort = async ({ flowid }) =>
    found(checkedFlow({ a: { type: 'transform', output: 1 } }), flowid);

  const foundBy = async (flowid: string, options: Partial<RunOptions>): Promise<Outcome> => {
    const recorded = scripted();
    const { outcome } = await runCompiled(
      calling(finding(flowid)),
      {},
      { ...options, ports: { ...recorded.ports, flows } },
    );
    return outcome;
  };

  test('informs a node how much of its budget is left', async () => {
    expect(await foundBy('c', { chain: ['a', 'b'] })).toMatchObject({
      response: { call: { build: 'b1', chain: ['a', 'b'], left: 3 } },
    });
  });

  test('never comes back to a flow that is being run', async () => {
    expect(await foundBy('a', { chain: ['a', 'b'] })).toMatchObject({
      error: { code: 'flow.cycle', message: expect.stringContaining('a → b → a') },
    });
  });

  test.each([
    [['a', 'b', 'c', 'd', 'e'], {}],
    [['a', 'b'], { max_depth: 2 }],
    [['a', 'b', 'c'], { max_depth: 2 }],
  ])('%j may not grow with limits %j', async (chain, limits) => {
    expect(await foundBy('z', { chain, limits })).toMatchObject({ error: { code: 'limit.depth' } });
  });

  test('a port that is absent refuses the call', async () => {
    const { outcome } = await runCompiled(calling(finding('a')));
    expect(outcome).toMatchObject({ error: { code: 'flow.unavailable' } });
  });
});

describe('memory', () => {
  /** Calls the model three times, and remembers each answer. */
  const turns: RunNode = async (context: NodeContext) => {
    const said = Array.isArray(context.memory) ? [...context.memory] : [];
    while (said.length < 3) {
      const { output } = await context.model({
        model: {},
        messages: [{ role: 'user', content: String(said.length) }],
      });
      said.push(output);
      await context.remember([...said]);
    }
    return { output: said };
  };

  test('is in every snapshot, so that no turn is repeated', async () => {
    const whole = await runCompiled(calling(turns));
    expect(whole.outcome).toMatchObject({ response: { call: ['ok', 'ok', 'ok'] } });
    const turnsLeft: number[] = [];
    for (const text of whole.recorded.snapshots) {
      const { outcome, recorded } = await runCompiled(calling(turns), {}, { snapshot: JSON.parse(text) });
      expect(outcome).toEqual(whole.outcome);
      turnsLeft.push(recorded.prompts.length);
    }
    expect(turnsLeft).toEqual([2, 1, 0, 0]);
  });

  test('is bounded', async () => {
    const hoard: RunNode = async (context) => {
      await context.remember('x'.repeat(2_000_000));
      return { output: null };
    };
    expect((await runCompiled(calling(hoard))).outcome).toMatchObject({ error: { code: 'value.too_large' } });
  });
});
