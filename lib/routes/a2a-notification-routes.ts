// Where other agents send the push notifications of tasks that runs of this service wait for. The token in the request
// is the credential: see docs/decisions/0043-notified-runs.md.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { runId } from '#lib/ids.ts';

export const a2aNotificationRoutes = {
  receiveNotification: route({
    method: 'POST',
    path: '/public/a2a-notifications/{runId}/{notificationId}',
    entry: 'a2a/receive-notification',
    tag: 'A2A',
    summary: 'Notify of a task that a run waits for',
    description:
      'For agents that flows call: runs set this URL as a push notification configuration of the tasks that they wait ' +
      'for. A notification makes the run read the task soon; nothing else is taken from it. It may be repeated.',
    credentials: [],
    params: z.strictObject({
      runId,
      notificationId: z
        .string()
        .regex(/^[\w-]{22}$/, 'must be 22 letters, digits, - or _')
        .meta({
          description: 'Names the task.',
          example: 'q3HkXJ0cYb6f1mP9sWt2Zw',
        }),
    }),
    query: z.object({}),
    requestHeaders: ['X-A2A-Notification-Token'],
    rawBody: {
      description: 'A StreamResponse (A2A v1.0.1 §4.3.3), or the task in the form of 0.3.',
      example: {
        statusUpdate: {
          taskId: 'task-1',
          contextId: 'context-1',
          status: { state: 'TASK_STATE_COMPLETED', timestamp: '2027-01-31T00:00:00.000Z' },
        },
      },
    },
    bodyKind: 'agent',
    response: { status: 204, description: 'Accepted, whether or not the run still waits for the task.' },
    errors: ['notified_task_not_found', 'rate_limited'],
    uses: ['runs.get', 'cursorKey.derive', 'limits.count', 'runQueue.send'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
