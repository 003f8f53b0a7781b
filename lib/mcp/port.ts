// The way out to MCP servers: one session per server and run, opened with the first question. The SDK behind it is loaded then, so that flows
// without MCP never pay for it; only `session.ts` and what it imports may import it.

import type { Connect } from '#lib/connection/connection-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpPort, McpServer } from '#lib/flow/ports/mcp.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { McpSession } from './session.ts';

export interface ClosableMcpPort extends McpPort {
  /** Ends the sessions, best effort: a server keeps one for as long as it likes. */
  readonly close: () => Promise<void>;
}

/** For one run. */
export function createMcpPort(connect: Connect): ClosableMcpPort {
  const sessions = new Map<string, Promise<McpSession>>();

  const within = async <T>(
    server: McpServer,
    call: NodeCall,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> => {
    const key = JSON.stringify([server.url, server.connection]);
    const session = sessions.get(key) ?? open(server, connect, call);
    sessions.set(key, session);
    let isOpen = false;
    try {
      const opened = await session;
      isOpen = true;
      return await work(opened);
    } catch (error) {
      const goesOn = isOpen && error instanceof NodeError && harmless.has(error.code);
      if (!goesOn && sessions.get(key) === session) sessions.delete(key);
      throw error;
    }
  };

  return {
    list: (server, call) => within(server, call, async (session) => await session.list(call)),
    call: (server, tool, args, call) =>
      within(server, call, async (session) => await session.call(tool, args, call)),
    close: async () => {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(open.map(async (session) => await (await session).close()));
    },
  };
}

/** A session outlives these; after any other failure it may be gone, and the next attempt opens another. */
const harmless: ReadonlySet<string> = new Set([
  'mcp.error',
  'mcp.too_many_tools',
  'egress.too_large',
  'timeout',
]);

async function open(server: McpServer, connect: Connect, call: NodeCall): Promise<McpSession> {
  const connected = await connect(server.connection);
  const { openSession } = await import('./session.ts');
  return await openSession(server, connected, call);
}
