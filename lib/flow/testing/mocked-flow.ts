// A flow in which some nodes do not run: they give what a test says, or fail with it. Nobody waits for retries.
import type { Json } from '#lib/json.ts';
import type { CompiledFlow, CompiledNode } from '../compile.ts';
import { asNodeError, NodeError } from '../node-error.ts';
import type { RunNode } from '../nodes/node-context.ts';
import { type FlowTest, mockedError } from './flow-test.ts';

/** Hears what each node gave last, its error as `{error}`. */
export type Hear = (nodeId: string, output: Json) => void;

export function mockedFlow(
  flow: CompiledFlow,
  mocks: NonNullable<FlowTest['mocks']>,
  hear: Hear,
): CompiledFlow {
  const nodes = [...flow.nodes.values()].map((node): readonly [string, CompiledNode] => {
    const mock = Object.hasOwn(mocks, node.id) ? mocks[node.id] : undefined;
    const run = heard(node.id, mock === undefined ? node.run : mockedRun(mock), hear);
    return [node.id, { ...node, run, retry: node.retry && { ...node.retry, delay_ms: 0 } }];
  });
  return { ...flow, nodes: new Map(nodes) };
}

function mockedRun(mock: Json): RunNode {
  const failing = mockedError.safeParse(mock);
  if (!failing.success) return () => ({ output: mock, note: 'mocked' });
  const { code, message = 'The test lets the node fail.' } = failing.data.error;
  return () => {
    throw new NodeError(code, message);
  };
}

const heard =
  (id: string, run: RunNode, hear: Hear): RunNode =>
  async (context) => {
    try {
      const result = await run(context);
      if ('output' in result) hear(id, result.output);
      return result;
    } catch (thrown) {
      const { code, message } = asNodeError(thrown);
      hear(id, { error: { code, message } });
      throw thrown;
    }
  };
