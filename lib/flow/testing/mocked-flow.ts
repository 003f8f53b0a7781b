// A flow in which some nodes do not run: they give what a test says, or fail with it. Nobody waits for retries.
import type { Json } from '#lib/json.ts';
import type { CompiledFlow, CompiledNode } from '../compile.ts';
import { asNodeError, NodeError } from '../node-error.ts';
import type { NodeContext, RunNode } from '../nodes/node-context.ts';
import type { ClosedPorts } from './closed-ports.ts';
import type { FlowTest } from './flow-test.ts';
import { mockedError, mockOf } from './mock.ts';

interface Around {
  /** Hears what each node gave last, its error as `{error}`. */
  readonly hear: (nodeId: string, output: Json) => void;
  readonly lack: ClosedPorts['lack'];
}

export function mockedFlow(
  flow: CompiledFlow,
  mocks: NonNullable<FlowTest['mocks']>,
  { hear, lack }: Around,
): CompiledFlow {
  const nodes = [...flow.nodes.values()].map((node): readonly [string, CompiledNode] => {
    const mock = Object.hasOwn(mocks, node.id) ? mocks[node.id] : undefined;
    const run = heard(node.id, mock === undefined ? node.run : mockedRun(mock, lack), hear);
    return [node.id, { ...node, run, retry: node.retry && { ...node.retry, delay_ms: 0 } }];
  });
  return { ...flow, nodes: new Map(nodes) };
}

function mockedRun(written: Json, lack: Around['lack']): RunNode {
  const { series, outcomes } = mockOf(written);
  const runs = outcomes.map(({ value }) => runOf(value));
  const [only] = runs;
  if (!series && only) return only;
  const node = ({ nodeId }: NodeContext) => `The node "${nodeId}" runs`;
  let times = 0;
  return (context) => {
    const index = series === 'by_item' ? (context.at.scope.index ?? 0) : times++;
    const run = runs[index];
    if (run) return run(context);
    if (series === 'by_item')
      return lack(`${node(context)} for item ${index}, and the test has mocks for ${runs.length}.`);
    return lack(`${node(context)} more than ${runs.length} times, for which the test has mocks.`);
  };
}

function runOf(outcome: Json): RunNode {
  const failing = mockedError.safeParse(outcome);
  if (!failing.success) return () => ({ output: outcome, note: 'mocked' });
  const { code, message = 'The test lets the node fail.' } = failing.data.error;
  return () => {
    throw new NodeError(code, message);
  };
}

const heard =
  (id: string, run: RunNode, hear: Around['hear']): RunNode =>
  async (context: NodeContext) => {
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
