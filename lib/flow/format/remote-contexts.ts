// The conversations that a run has with other agents. The last `contextId` of each agent is remembered, so that
// the next message to it continues the conversation.
import { limits } from './limits.ts';

/** The `contextId`s by agent and connection, the last one used at the end. */
export type RemoteContexts = Readonly<Record<string, string>>;

export interface RemoteAgent {
  /** As the flow names it: a registry id, or a URL. */
  readonly agent: string;
  readonly connection?: string | null | undefined;
}

/** With another credential, the agent sees another caller, who has conversations of its own. */
const toKey = ({ agent, connection }: RemoteAgent) => JSON.stringify([agent, connection ?? null]);

export const findContext = (contexts: RemoteContexts, agent: RemoteAgent): string | undefined => {
  const key = toKey(agent);
  return Object.hasOwn(contexts, key) ? contexts[key] : undefined;
};

/** The agents that were called longest ago are forgotten first. An id that is too long is not remembered. */
export function rememberContext(
  contexts: RemoteContexts,
  agent: RemoteAgent,
  contextId: string | null | undefined,
): RemoteContexts {
  if (typeof contextId !== 'string' || contextId.length > limits.contextIdChars) return contexts;
  const key = toKey(agent);
  const others = Object.entries(contexts).filter(([other]) => other !== key);
  return Object.fromEntries([...others, [key, contextId] as const].slice(-limits.remoteContextsMax));
}
