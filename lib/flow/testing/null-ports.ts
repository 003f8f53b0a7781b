// Ports without a network: a node that calls one ends the run at once, with a message that names the node.

import type { Ports } from '../engine/ports.ts';
import { NodeError } from '../format/node-error.ts';
import type { NodeCall } from '../ports/node-call.ts';

type OutboundPorts = Pick<Ports, 'model' | 'http' | 'mcp' | 'agent' | 'discover' | 'flows' | 'code'>;

export interface NullPorts {
  readonly outbound: OutboundPorts;
  readonly signal: AbortSignal;
  /** Ends the run, because the test has no mock that a node needs; `what` is the message. */
  readonly reportMissingMock: (what: string) => never;
  /** The message of the first missing mock. */
  readonly missingMock: () => string | undefined;
}

/** The flow cannot catch the end: a missing mock must not look like an error that the flow handles. */
export function nullPorts(): NullPorts {
  const abort = new AbortController();
  let missingMock: string | undefined;
  const reportMissingMock = (what: string): never => {
    missingMock ??= what;
    abort.abort();
    throw new NodeError('canceled', missingMock);
  };
  const refuse = async (what: string, { nodeId }: NodeCall): Promise<never> =>
    reportMissingMock(
      `The node "${nodeId}" calls ${what}, and the test has no mock for it: add one to \`mocks\`.`,
    );
  return {
    outbound: {
      model: (_request, call) => refuse('a model', call),
      http: (_request, call) => refuse('an HTTP API', call),
      mcp: {
        list: (_server, call) => refuse('an MCP server', call),
        call: (_server, _tool, _args, call) => refuse('an MCP server', call),
      },
      agent: (_request, call) => refuse('another agent', call),
      discover: (_filter, call) => refuse('the registry', call),
      flows: (_request, call) => refuse('another flow', call),
      code: (_request, call) => refuse('the interpreter of code', call),
    },
    signal: abort.signal,
    reportMissingMock,
    missingMock: () => missingMock,
  };
}
