// Ports that let nothing out: a node that calls one ends the run at once, and it is kept which node that was.

import type { Ports } from '../engine/ports.ts';
import { NodeError } from '../format/node-error.ts';
import type { NodeCall } from '../ports/node-call.ts';

type OutboundPorts = Pick<Ports, 'model' | 'http' | 'mcp' | 'agent' | 'discover' | 'flows'>;

export interface NullPorts {
  readonly outbound: OutboundPorts;
  readonly signal: AbortSignal;
  /** Ends the run, because the test has not said what a node needs. The sentence says what. */
  readonly reportMissingMock: (what: string) => never;
  /** What was lacking first. */
  readonly missingMock: () => string | undefined;
}

/** The end cannot be caught by the flow: what the test forgot must not look like an error that the flow deals with. */
export function nullPorts(): NullPorts {
  const abort = new AbortController();
  let missingMock: string | undefined;
  const reportMissingMock = (what: string): never => {
    missingMock ??= what;
    abort.abort();
    throw new NodeError('canceled', missingMock);
  };
  const refuse = async (what: string, { nodeId }: NodeCall): Promise<never> =>
    reportMissingMock(`The node "${nodeId}" calls ${what}, and the test has no mock for it.`);
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
    },
    signal: abort.signal,
    reportMissingMock,
    missingMock: () => missingMock,
  };
}
