// The modules of the engine that are loaded only for flows that use them. They are loaded before the first node runs:
// otherwise other nodes could overtake one that waits for its module, and the first run of a process would write its
// log in another order than the next.

import type { LazyModule } from '#lib/lazy.ts';
import { agents } from '../agent/agent.ts';
import { language, needsLanguage } from '../expression/evaluate.ts';
import { isObject } from '../format/json-value.ts';
import { remoteAgents } from '../nodes/a2a.ts';
import { codeCalls } from '../nodes/code.ts';
import { conversations } from '../nodes/conversation.ts';
import { guardrailChecks } from '../nodes/guardrails.ts';
import { requests } from '../nodes/http.ts';
import { modelCalls } from '../nodes/llm.ts';
import { itemRuns } from '../nodes/map.ts';
import { branchRuns } from '../nodes/parallel.ts';
import { stores } from '../nodes/store.ts';
import { eventWaits } from '../nodes/wait.ts';
import { patterns } from '../schema/validate.ts';
import type { Flow } from './flow.ts';

/** Of the node types that have one. */
const modulesByType: readonly (readonly [type: string, LazyModule<unknown>])[] = [
  ['agent', agents],
  ['http', requests],
  ['a2a', remoteAgents],
  ['llm', modelCalls],
  ['store', stores],
  ['parallel', branchRuns],
  ['map', itemRuns],
  ['code', codeCalls],
  ['wait', eventWaits],
];

/**
 * May select too many, because titles and notes are treated like templates. A flow that calls others gets all modules,
 * because what those flows need is not known yet.
 */
export function selectModules({ nodes, input, output }: Flow): readonly LazyModule<unknown>[] {
  const ofTypes = modulesByType.map(([, module]) => module);
  if (holds(nodes, callsFlow)) return [language, patterns, conversations, guardrailChecks, ...ofTypes];
  const types = findTypes(nodes);
  return [
    ...(holds(nodes, isSlowTemplate) ? [language] : []),
    ...(holds([nodes, input, output], mayHavePattern) ? [patterns] : []),
    ...(holds(nodes, hasConversation) ? [conversations] : []),
    ...(holds(nodes, hasGuardrails) ? [guardrailChecks] : []),
    ...modulesByType.flatMap(([type, module]) => (types.has(type) ? [module] : [])),
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

function findTypes(nodes: unknown): ReadonlySet<unknown> {
  const types = new Set<unknown>();
  const note = (value: unknown) => {
    if (isObject(value)) types.add(value.type);
    return false;
  };
  holds(nodes, note);
  return types;
}

const hasGuardrails = (value: unknown) => isObject(value) && isObject(value.guardrails);

const hasConversation = (value: unknown) => isObject(value) && isObject(value.conversation);
