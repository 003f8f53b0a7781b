// The page on which a person gives an agent what it needs. Its link is the credential: see
// docs/decisions/0033-configuration-links.md.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';

const page = {
  path: '/public/agent-config',
  tag: 'Connections',
  credentials: [],
  audited: 'byFunction',
  response: {
    status: 200,
    description: 'A page. Errors are pages too.',
    contentType: 'text/html',
    schema: z.string().meta({ id: 'ConfigurationPage' }),
  },
  timeout: 'quick',
  transfer: 'buffered',
} as const;

/** Unknown parameters, which mail and chat programs add to links, are ignored. */
const link = z.object({
  task_id: z.string().max(200).optional().meta({ description: 'The task that waits.' }),
  token: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Of the link that the principal of the task was given.' }),
});

const reads = ['control.read', 'runs.read', 'cursorKey.derive', 'limits.count'] as const;
const stores = [
  ...reads,
  'flowKey.seal',
  // For "Connect": the client of the workspace is decrypted, and tokens are fetched.
  'flowKey.open',
  'callbacks.call',
  'connections.write',
  'configurationLinks.spend',
  'waiting.take',
  'runQueue.send',
] as const;

export const agentConfigRoutes = {
  showAgentConfig: route({
    ...page,
    method: 'GET',
    entry: 'agent-config/show',
    summary: 'Show what an agent needs',
    description:
      'The page behind the `configuration_url` of a task in the state `TASK_STATE_AUTH_REQUIRED`: which agent it is, ' +
      'what it wants, where the value may go, for whom it is stored, and a form. Opening it changes nothing.',
    query: link,
    errors: ['configuration_link_not_found', 'configuration_link_expired', 'rate_limited'],
    uses: reads,
  }),
  submitAgentConfig: route({
    ...page,
    method: 'POST',
    entry: 'agent-config/submit',
    summary: 'Send the form of that page',
    description:
      'For browsers. 303 leads to the next page. A link is good for one form; one that has expired can be replaced.',
    query: z.object({}),
    form: {
      description: 'The form of the page.',
      example: {
        task_id: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e',
        token: '<TOKEN>',
        connection: 'crm',
        action: 'store',
        'credential.token': '<VALUE>',
      },
    },
    bodyKind: 'management',
    errors: [
      'authorization_failed',
      'cross_site_request',
      'configuration_link_not_found',
      'configuration_link_used',
      'configuration_link_expired',
      'rate_limited',
    ],
    uses: stores,
  }),
  finishAgentConfig: route({
    ...page,
    method: 'GET',
    path: '/public/agent-config/callback',
    entry: 'agent-config/callback',
    otherMethods: 'byFunction',
    summary: 'Come back from an OAuth server',
    description:
      'The redirect URI of the service. 303 leads to the next page. It accepts only what the same browser asked for, within ten minutes.',
    query: z.object({
      state: z.string().max(2048).optional(),
      code: z.string().max(4096).optional(),
      error: z.string().max(200).optional(),
      iss: z.string().max(2048).optional(),
    }),
    errors: [
      'authorization_failed',
      'configuration_link_not_found',
      'configuration_link_used',
      'rate_limited',
    ],
    uses: stores,
  }),
} as const;
