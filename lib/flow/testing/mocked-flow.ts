// Replaces nodes of a flow by their mocks, which give an output or fail. Retries have no delay.
import type { Json } from '#lib/json/json.ts';
import type { FlowTest } from '../definition/flow-test.ts';
import { mockedError, parseSeries } from '../definition/mock.ts';
import type {
  Assign,
  CompiledFlow,
  CompiledNode,
  NodeContext,
  RunNode,
  Step,
} from '../engine/node-context.ts';
import { answerScope } from '../expression/answer-message.ts';
import { asText } from '../expression/text.ts';
import { isObject } from '../format/json-value.ts';
import { asNodeError, NodeError } from '../format/node-error.ts';
import type { NullPorts } from './null-ports.ts';

interface MockOptions {
  /** Called with each output of a node; an error is `{error}`. */
  readonly onOutput: (nodeId: string, output: Json) => void;
  readonly reportMissingMock: NullPorts['reportMissingMock'];
}

export function mockedFlow(
  flow: CompiledFlow,
  mocks: NonNullable<FlowTest['mocks']>,
  { onOutput, reportMissingMock }: MockOptions,
): CompiledFlow {
  const nodes = [...flow.nodes.values()].map((node): readonly [string, CompiledNode] => {
    const mock = Object.hasOwn(mocks, node.id) ? mocks[node.id] : undefined;
    const { run, assign } = mock === undefined ? node : mockedNode(node, mock, reportMissingMock);
    const retry = node.retry && { ...node.retry, delay_ms: 0 };
    return [node.id, { ...node, run: observed(node.id, run, onOutput), assign, retry }];
  });
  return { ...flow, nodes: new Map(nodes) };
}

const mockedNode = (node: CompiledNode, mock: Json, reportMissingMock: MockOptions['reportMissingMock']) => ({
  run: mockedRun(mock, node, reportMissingMock),
  assign: node.type === 'ask' ? answered(node) : node.assign,
});

/** Nobody has answered, so the output takes the place of the answer. */
const answered = ({ id, assign }: CompiledNode): Assign | undefined =>
  assign?.map(([name, render]) => [
    name,
    (at) => render({ ...at, scope: { ...at.scope, ...answerScope({ value: at.scope.nodes[id] ?? null }) } }),
  ]);

function mockedRun(
  written: Json,
  mocked: CompiledNode,
  reportMissingMock: MockOptions['reportMissingMock'],
): RunNode {
  const series = parseSeries(written);
  if (!series) return createRun(written, mocked);
  const runs = series.outcomes.map((outcome) => mockedRun(outcome, mocked, reportMissingMock));
  const listRuns = ({ nodeId }: NodeContext) => `The node "${nodeId}" runs`;
  if (series.name === 'by_item')
    return (context) => {
      const { index = 0 } = context.at.scope;
      const lacking = () =>
        reportMissingMock(
          `${listRuns(context)} for item ${index}, and \`by_item\` of its mock has outputs for ${runs.length} only.`,
        );
      return (runs[index] ?? lacking)(context);
    };
  let times = 0;
  return (context) => {
    const lacking = () =>
      reportMissingMock(
        `${listRuns(context)} more often than its mock has outputs in \`in_order\`, which are ${runs.length}.`,
      );
    return (runs[times++] ?? lacking)(context);
  };
}

function createRun(outcome: Json, mocked: CompiledNode): RunNode {
  const failing = mockedError.safeParse(outcome);
  if (!failing.success) return createOutputRun(outcome, mocked);
  const { code, message = 'The test lets the node fail.', response } = failing.data.error;
  return () => {
    throw new NodeError(code, message, { response });
  };
}

/** What an agent captures is set in the state too, and text for the caller is sent at once. */
function createOutputRun(output: Json, { type, isStreamed }: CompiledNode): RunNode {
  const step: Step = { output, note: 'mocked' };
  if (type === 'llm' && isStreamed) return createTextRun(output, step);
  if (type !== 'agent' || !isObject(output)) return () => step;
  const { captured, text = '' } = output;
  const whole = isObject(captured) ? { ...step, state: captured } : step;
  return isStreamed ? createTextRun(text, whole) : () => whole;
}

const createTextRun =
  (text: Json, step: Step): RunNode =>
  (context) => {
    context.callerText()?.end(asText(text));
    return step;
  };

const observed =
  (id: string, run: RunNode, onOutput: MockOptions['onOutput']): RunNode =>
  async (context: NodeContext) => {
    try {
      const result = await run(context);
      if ('output' in result) onOutput(id, result.output);
      return result;
    } catch (thrown) {
      const { code, message, response } = asNodeError(thrown);
      onOutput(id, { error: { code, message, ...(response && { response }) } });
      throw thrown;
    }
  };
