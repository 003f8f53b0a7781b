// The operations of the HTTP+JSON binding (A2A v1.0.1 §11.3): their paths below the address of the interface, and
// the methods that they call.

/** A boolean is `true` or `false`, a number is a text for the method too. */
interface QueryParameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const historyLength = {
  type: 'integer',
  description: 'At most so many of the most recent messages; all without it.',
} as const;
const page = {
  pageSize: { type: 'integer', description: 'Results per page, 1 to 100.' },
  pageToken: { type: 'string', description: 'The `nextPageToken` of the previous page.' },
} as const;

type Verb = 'GET' | 'POST' | 'DELETE';

export interface HttpOperation {
  readonly verbs: readonly Verb[];
  /** Parameters in braces are members of the method's parameters. */
  readonly path: string;
  /** The name of the method in JSON-RPC. */
  readonly method: string;
  /** Members of the method's parameters that are sent in the query. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Members of the method's parameters are sent in the body. */
  readonly hasBody?: boolean;
}

export const httpOperations: readonly HttpOperation[] = [
  { verbs: ['POST'], path: '/message:send', method: 'SendMessage', hasBody: true },
  { verbs: ['POST'], path: '/message:stream', method: 'SendStreamingMessage', hasBody: true },
  {
    verbs: ['GET'],
    path: '/tasks',
    method: 'ListTasks',
    query: {
      contextId: { type: 'string', description: 'Only tasks of this context.' },
      status: { type: 'string', description: 'Only tasks in this state, such as `TASK_STATE_WORKING`.' },
      ...page,
      historyLength,
      statusTimestampAfter: {
        type: 'string',
        description: 'Only tasks whose status has this timestamp or a later one.',
      },
      includeArtifacts: { type: 'boolean', description: 'Whether the tasks have their artifacts.' },
    },
  },
  { verbs: ['GET'], path: '/tasks/{id}', method: 'GetTask', query: { historyLength } },
  { verbs: ['POST'], path: '/tasks/{id}:cancel', method: 'CancelTask', hasBody: true },
  // The proto of the specification has GET, its text POST.
  { verbs: ['GET', 'POST'], path: '/tasks/{id}:subscribe', method: 'SubscribeToTask' },
  {
    verbs: ['POST'],
    path: '/tasks/{taskId}/pushNotificationConfigs',
    method: 'CreateTaskPushNotificationConfig',
    hasBody: true,
  },
  {
    verbs: ['GET'],
    path: '/tasks/{taskId}/pushNotificationConfigs',
    method: 'ListTaskPushNotificationConfigs',
    query: page,
  },
  {
    verbs: ['GET'],
    path: '/tasks/{taskId}/pushNotificationConfigs/{id}',
    method: 'GetTaskPushNotificationConfig',
  },
  {
    verbs: ['DELETE'],
    path: '/tasks/{taskId}/pushNotificationConfigs/{id}',
    method: 'DeleteTaskPushNotificationConfig',
  },
  { verbs: ['GET'], path: '/extendedAgentCard', method: 'GetExtendedAgentCard' },
];

export type Match =
  | { readonly operation: HttpOperation; readonly params: Readonly<Record<string, string>> }
  /** No operation with this path has the verb; empty if no operation has the path. */
  | { readonly allowed: readonly string[] };

export function findOperation(verb: string, path: string): Match {
  const normal = path.replace(/%3a/gi, ':').replace(/\/$/, '');
  const allowed: string[] = [];
  for (const { operation, pattern, verbs } of patterns) {
    const match = pattern.exec(normal);
    if (!match) continue;
    if (verbs.includes(verb)) return { operation, params: { ...match.groups } };
    allowed.push(...verbs);
  }
  return { allowed };
}

/** HEAD is answered like GET, without the body (RFC 9110 §9.3.2), except for the stream of a task. */
const servedVerbs = ({ verbs, method }: HttpOperation): readonly string[] =>
  verbs.includes('GET') && method !== 'SubscribeToTask' ? [...verbs, 'HEAD'] : verbs;

/** The id of a task has no colon, so that `GET tasks/{id}:cancel` is not the path of a task. */
const patterns = httpOperations.map((operation) => ({
  operation,
  verbs: servedVerbs(operation),
  pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`),
}));
