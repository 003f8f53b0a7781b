// What flows have stored beyond their runs: listing it without its content, and deleting it.
import * as z from 'zod';
import { environment } from '#lib/environment/environment.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { flowid, workspaceid } from '#lib/ids.ts';
import { memoryEntry, memoryId, memoryKind } from '#lib/memory/memory-entry.ts';

const shared = { ...management, tag: 'Runs', otherMethods: 'byFunction' } as const;

export const memoryRoutes = {
  listMemory: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/flows/{flow_id}/memory/{environment}',
    entry: 'memory/list',
    summary: 'List what a flow has stored',
    description:
      'The values of `store` nodes and the conversations of a flow in an environment, in the order of their kinds ' +
      'and keys, without their content. A page can have fewer ' +
      'items than `limit`, and none.',
    permission: 'assistants.flows:read',
    params: z.strictObject({ flow_id: flowid, environment }),
    query: z.strictObject({
      workspaceid,
      kind: memoryKind.optional(),
      limit: pageLimit('Items'),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'One page of what is stored.',
      schema: pageSchema(memoryEntry, 'MemoryPage'),
    },
    errors: [],
    uses: ['values.list'],
  }),

  deleteMemory: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/flows/{flow_id}/memory/{environment}/{memory_id}',
    entry: 'memory/delete',
    audited: true,
    summary: 'Delete a value or a conversation',
    description:
      'Later runs do not see it. A run that continues the conversation at the same time adds its own turn to a new ' +
      'one. What runs have logged is kept as long as the runs are.',
    permission: 'assistants.flows:delete',
    params: z.strictObject({ flow_id: flowid, environment, memory_id: memoryId }),
    query: z.strictObject({ workspaceid }),
    response: { status: 204, description: 'Deleted.' },
    errors: ['memory_not_found'],
    uses: ['values.delete'],
  }),
} as const;
