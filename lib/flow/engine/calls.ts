// The ports as a node calls them: within its time, counted against the budget, and never deeper than the chain may grow.
import { truncate } from '#lib/truncate.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { ModelAnswer, ModelRequest } from '../ports/model.ts';
import type { NodeCall } from '../ports/node-call.ts';
import type { Attempt, Trace } from './attempt.ts';
import { countTokens, takeModelCall } from './budget.ts';
import type { Calls, FlowRequest } from './node-context.ts';
import type { Ports } from './ports.ts';
import type { Cursor } from './scope.ts';

export function createCalls({ cursor, execution: { key }, time, trace }: Attempt): Calls {
  const { ports } = cursor;
  const { calling } = time;
  return {
    model: (request, onText) =>
      modelCall(cursor, trace, () =>
        calling((call) => askModel(ports, request, onText ?? toWatchers(ports, key, call), call)),
      ),
    http: async (request) => {
      const answer = await calling((call) => ports.http(request, call));
      trace.http = { host: URL.parse(request.url)?.host ?? '', status: answer.status };
      return answer;
    },
    mcpTools: (server) => calling((call) => needed(ports.mcp, 'mcp').list(server, call)),
    mcpCall: (server, tool, args) =>
      calling((call) => needed(ports.mcp, 'mcp').call(server, tool, args, call)),
    agent: async (request) => {
      checkDepth(cursor);
      return await calling((call) => needed(ports.agent, 'a2a')(request, call));
    },
    discover: (filter) => calling((call) => needed(ports.discover, 'a2a')(filter, call)),
    findFlow: async (request) => {
      checkChain(cursor, request);
      return await calling((call) => needed(ports.flows, 'flow')(request, call));
    },
  };
}

function needed<T>(port: T | undefined, family: string): T {
  if (port) return port;
  throw new NodeError(`${family}.unavailable`, 'This run has no access to it.');
}

/** Every call counts, also one that fails; tokens count as the provider tells them, also those of an answer that was refused. */
async function modelCall(
  cursor: Cursor,
  trace: Trace,
  call: () => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const count = ({ input, output }: ModelAnswer['tokens']) => {
    trace.tokens = {
      input: (trace.tokens?.input ?? 0) + input,
      output: (trace.tokens?.output ?? 0) + output,
    };
    countTokens(cursor.budget, input + output);
  };
  takeModelCall(cursor.budget);
  try {
    const answer = await call();
    count(answer.tokens);
    return answer;
  } catch (error) {
    if (error instanceof NodeError && error.tokens) count(error.tokens);
    throw error;
  }
}

/** Who watches the run sees what every model writes; its caller does not. */
const toWatchers = ({ text }: Ports, key: string, { nodeId: node_id }: NodeCall) =>
  text && ((piece: string) => text({ node_id, key, text: piece }));

/** A model that answers with an object writes JSON, which is nothing to read along. */
async function askModel(
  { model }: Ports,
  request: ModelRequest,
  onPiece: ((piece: string) => void) | undefined,
  call: NodeCall,
): Promise<ModelAnswer> {
  if (!onPiece || request.output_schema) return await model(request, call);
  let left: number = limits.textCharsMax;
  const onText = (piece: string) => {
    const shown = call.signal.aborted ? '' : truncate(piece, left);
    left -= shown.length;
    if (shown !== '') onPiece(shown);
  };
  try {
    return await model(request, { ...call, onText });
  } finally {
    left = 0;
  }
}

function checkChain(cursor: Cursor, { flowid }: FlowRequest): void {
  if (cursor.chain.includes(flowid)) {
    const way = [...cursor.chain, flowid].join(' → ');
    throw new NodeError('flow.cycle', `The flow "${flowid}" is being run already: ${way}.`);
  }
  checkDepth(cursor);
}

function checkDepth({ chain, budget }: Cursor): void {
  const { depth } = budget.limits;
  if (chain.length < depth) return;
  throw new NodeError('limit.depth', `Expected at most ${depth} flows and agents that call one another.`);
}
