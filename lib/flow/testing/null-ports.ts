// Ports that let nothing out: a node that calls one ends the run at once, and it is kept which node that was.

import type { Ports } from '../engine/ports.ts';
import { NodeError } from '../format/node-error.ts';
import type { NodeCall } from '../ports/node-call.ts';

type Doors = Pick<Ports, 'model' | 'http' | 'mcp' | 'agent' | 'discover' | 'flows'>;

export interface ClosedPorts {
  readonly doors: Doors;
  readonly signal: AbortSignal;
  /** Ends the run, because the test has not said what a node needs. The sentence says what. */
  readonly lack: (what: string) => never;
  /** What was lacking first. */
  readonly lacked: () => string | undefined;
}

/** The end cannot be caught by the flow: what the test forgot must not look like an error that the flow deals with. */
export function closedPorts(): ClosedPorts {
  const abort = new AbortController();
  let lacked: string | undefined;
  const lack = (what: string): never => {
    lacked ??= what;
    abort.abort();
    throw new NodeError('canceled', lacked);
  };
  const refuse = async (what: string, { nodeId }: NodeCall): Promise<never> =>
    lack(`The node "${nodeId}" calls ${what}, and the test has no mock for it.`);
  return {
    doors: {
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
    lack,
    lacked: () => lacked,
  };
}
