// The port for MCP servers: one session per server and run, opened with the first call. The MCP SDK is loaded
// then, so that flows without MCP do not load it; only `session.ts` and its imports may import it.

import type { GetConnectionFetch } from '#lib/connection/connection-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpPort, McpServer } from '#lib/flow/ports/mcp.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { McpSession } from './session.ts';

export interface ClosableMcpPort extends McpPort {
  /** Ends the sessions, best effort: a server may keep a session for as long as it likes. */
  readonly close: () => Promise<void>;
}

/** For one run. */
export function createMcpPort(getFetch: GetConnectionFetch): ClosableMcpPort {
  const sessions = new Map<string, Promise<McpSession>>();

  const within = async <T>(
    server: McpServer,
    call: NodeCall,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> => {
    const key = JSON.stringify([server.url, server.connection]);
    const session = sessions.get(key) ?? open(server, getFetch, call);
    sessions.set(key, session);
    let isOpen = false;
    try {
      const opened = await session;
      isOpen = true;
      return await work(opened);
    } catch (error) {
      const isSessionUsable = isOpen && error instanceof NodeError && harmless.has(error.code);
      if (!isSessionUsable && sessions.get(key) === session) sessions.delete(key);
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

/**
 * Errors after which the session is still usable. After any other the session may be gone, and the next
 * attempt opens a new one.
 */
const harmless: ReadonlySet<string> = new Set([
  'mcp.error',
  'mcp.too_many_tools',
  'egress.too_large',
  'timeout',
]);

async function open(server: McpServer, getFetch: GetConnectionFetch, call: NodeCall): Promise<McpSession> {
  const connectionFetch = await getFetch(server.connection);
  const { openSession } = await import('./session.ts');
  return await openSession(server, connectionFetch, call);
}
