// The modules of the engine that are loaded only for flows that use them. They are loaded before the first node runs:
// otherwise other nodes could overtake one that waits for its module, and the first run of a process would write its
// log in another order than the next.

import type { LazyModule } from '#lib/lazy.ts';
import { agents } from '../agent/agent.ts';
import { language, needsLanguage } from '../expression/evaluate.ts';
import { isObject } from '../format/json-value.ts';
import { remoteAgents } from '../nodes/a2a.ts';
import { conversations } from '../nodes/conversation.ts';
import { requests } from '../nodes/http.ts';
import { patterns } from '../schema/validate.ts';
import type { Flow } from './flow.ts';

/**
 * May select too many, because titles and notes are treated like templates. A flow that calls others gets all modules,
 * because what those flows need is not known yet.
 */
export function selectModules({ nodes, input, output }: Flow): readonly LazyModule<unknown>[] {
  if (holds(nodes, callsFlow)) return [language, patterns, agents, requests, conversations, remoteAgents];
  return [
    ...(holds(nodes, isSlowTemplate) ? [language] : []),
    ...(holds([nodes, input, output], mayHavePattern) ? [patterns] : []),
    ...(holds(nodes, isAgent) ? [agents] : []),
    ...(holds(nodes, isRequest) ? [requests] : []),
    ...(holds(nodes, isRemoteAgent) ? [remoteAgents] : []),
    ...(holds(nodes, hasConversation) ? [conversations] : []),
  ];
}

const holds = (value: unknown, test: (value: unknown) => boolean): boolean =>
  test(value) ||
  (typeof value === 'object' && value !== null && Object.values(value).some((inner) => holds(inner, test)));

/** The node, and the tool of an agent. */
const callsFlow = (value: unknown) =>
  isObject(value) && (value.type === 'flow' || typeof value.flow === 'string');

const isSlowTemplate = (value: unknown) => typeof value === 'string' && needsLanguage(value);

/** A schema of the flow, or one of a server. */
const mayHavePattern = (value: unknown) =>
  isObject(value) && (Object.hasOwn(value, 'pattern') || typeof value.mcp === 'string');

const isRequest = (value: unknown) => isObject(value) && value.type === 'http';

const isRemoteAgent = (value: unknown) => isObject(value) && value.type === 'a2a';

const isAgent = (value: unknown) => isObject(value) && value.type === 'agent';

const hasConversation = (value: unknown) => isObject(value) && isObject(value.conversation);
