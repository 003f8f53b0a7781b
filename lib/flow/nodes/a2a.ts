// `a2a`: sends a message to another agent and waits for the result. Output: `{text, data, task_id,
// context_id, state}`.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { atLeastOne, exactlyOne, ruled } from '../format/notes.ts';
import { connectionProblem } from './connection-use.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';
import { agentFilter, agentProblem, contextId, extensions, verify } from './remote-agent.ts';
import { agentAddress } from './url-field.ts';

/** Loaded only for flows that have one. */
export const remoteAgents = lazyModule(() => import('./run-a2a.ts'));

export const a2aSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('a2a'),
        ...everyNode(),
        ...onward(),
        agent: agentAddress().optional().meta({
          description:
            'The agent: a registry id, or a URL with its host in `egress`; literal. Either this or `discover`.',
        }),
        discover: agentFilter().optional().meta({
          description: 'Filters that find the agent, instead of `agent`; the best match is called.',
        }),
        message: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'Text of the message; template. Either this, `data` or both.' }),
        data: json().optional().meta({ description: 'Data of the message: any JSON value with templates.' }),
        context_id: contextId(),
        verify: verify(),
        extensions: extensions(),
        connection: z
          .string()
          .optional()
          .meta({ description: 'Name of the connection whose credential is sent to the agent.' }),
      })
      .meta({
        description:
          'Sends a message to another agent and waits for its answer; the output is its text, data, state and ids.',
      }),
    [
      exactlyOne('agent', 'discover'),
      atLeastOne(['message', 'data'], 'expected `message` or `data`, or both'),
    ],
  ),
);

type A2aNode = z.infer<ReturnType<typeof a2aSchema>>;

export const a2aChecks: NodeChecks<A2aNode> = {
  check: ({ agent, connection }, around, report) => {
    const problem = agent === undefined ? undefined : agentProblem(agent, around.egress);
    if (problem) report(['agent'], problem);
    const misuse = connectionProblem(connection, agent ?? '', around);
    if (misuse) report(['connection'], misuse);
  },
};

export const a2a: NodeType<A2aNode> = {
  templates: ['message', 'data', 'context_id'],
  isLong: true,
  pauses: () => true,
  uses: ({ agent, discover, connection }) => ({
    agents: agent === undefined ? [] : [agent],
    discovers: discover ? [discover] : [],
    connections: connection === undefined ? [] : [connection],
  }),
  prepare: prepareLater(remoteAgents),
};
