// Ports that let nothing out: a node that calls one ends the run at once, and it is kept which node that was.
import { NodeError } from '../node-error.ts';
import type { NodeCall, Ports } from '../ports.ts';

type Doors = Pick<Ports, 'model' | 'http' | 'mcp' | 'agent' | 'discover' | 'flows'>;

export interface ClosedPorts {
  readonly doors: Doors;
  readonly signal: AbortSignal;
  /** What was called and by which node, as a sentence. */
  readonly called: () => string | undefined;
}

/** The end cannot be caught by the flow: what the test forgot must not look like an error that the flow deals with. */
export function closedPorts(): ClosedPorts {
  const abort = new AbortController();
  let called: string | undefined;
  const refuse = async (what: string, { nodeId }: NodeCall): Promise<never> => {
    called ??= `The node "${nodeId}" calls ${what}, and the test has no mock for it.`;
    abort.abort();
    throw new NodeError('canceled', called);
  };
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
    called: () => called,
  };
}
