// The scopes of access tokens: the permissions, and two for agents, which take no permission. Each has a sentence for
// the person who is asked for consent. What a member may do still depends on the role.
import * as z from 'zod';
import { permissions } from './permission.ts';

/** A user may call the agents that they can see, so every role may have both. */
export const agentScopes = ['agents:read', 'agents:call'] as const;
export type AgentScope = (typeof agentScopes)[number];

/** In the order in which people are shown them. */
export const oauthScopes = [...agentScopes, ...permissions] as const;
export const oauthScope = z.enum(oauthScopes);
export type OAuthScope = z.infer<typeof oauthScope>;

export const scopeDescriptions: Readonly<Record<OAuthScope, string>> = {
  'agents:read': 'Find and list the agents that you may call.',
  'agents:call':
    'Call agents for you, answer their questions, and see and cancel the tasks that you started.',
  'assistants.flows:read': 'See agents, their builds and settings, and what their runs have done.',
  'assistants.flows:create': 'Create builds of agents, and triggers that start them.',
  'assistants.flows:update':
    'Change agents, their settings and signing secrets, and choose which build is live.',
  'assistants.flows:delete': 'Delete builds of agents, triggers and settings.',
  'assistants.flows:run': 'Start, cancel and resume runs of agents, also by schedules.',
  'runs:inspect': 'Read what callers sent to runs of agents, and what their nodes were given and gave.',
  'apikeys:read': 'See the API keys of the organisation, but not their secrets.',
  'apikeys:create': 'Create API keys, which work until they expire or are revoked.',
  'apikeys:delete': 'Revoke API keys of the organisation.',
  'apikeys:extend': 'Create API keys that expire later than usual.',
  'connections:write': 'Store and delete the credentials that agents use for other services.',
  'audit:read': 'See the audit trail of the organisation.',
  'usage:read': 'See what models have used, and what that costs.',
  'budgets:write': 'Set and delete budgets for models.',
  'members:read': 'See the members of the organisation and their e-mail addresses.',
  'members:write': 'Invite people to the organisation, change what members may do, and remove them.',
  'workspaces:write': 'Create, rename and delete workspaces.',
};
