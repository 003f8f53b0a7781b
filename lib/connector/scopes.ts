// The scopes that access tokens need for the tools of the connector and for their tasks. API keys need none.
import { type Caller, requireScope } from '#lib/access/caller.ts';
import type { HeaderValues } from '#lib/access/credential.ts';
import { type AgentScope, agentScopes } from '#lib/access/oauth-scope.ts';

const toolScopes = {
  discover_agents: 'agents:read',
  list_agents: 'agents:read',
  call_agent: 'agents:call',
  search: 'agents:read',
  fetch: 'agents:read',
} as const satisfies Readonly<Record<string, AgentScope>>;

/** Every tool has a scope. */
export type ToolName = keyof typeof toolScopes;

const isTool = (name: unknown): name is ToolName =>
  typeof name === 'string' && Object.hasOwn(toolScopes, name);

/** For a method of MCP, and the name of a tool. All others need none, and so do tools that do not exist. */
export function findScope(method: unknown, name: unknown): AgentScope | undefined {
  if (typeof method === 'string' && method.startsWith('tasks/')) return 'agents:call';
  return method === 'tools/call' && isTool(name) ? toolScopes[name] : undefined;
}

/**
 * Judges a message by its headers. Those before revision 2026-07-28 have none that name the method, so their clients
 * need both scopes for everything: the challenge of the function would not reach them.
 */
export function requireHeaderScopes(caller: Caller, headers: HeaderValues): void {
  const [method] = headers['mcp-method'] ?? [];
  const [name] = headers['mcp-name'] ?? [];
  const scopes = method === undefined ? agentScopes : [findScope(method, name)];
  for (const scope of scopes) if (scope) requireScope(caller, scope);
}
