// The requests of members and workspaces whose AWS calls docs/aws-calls.md counts.
import type { Case } from './call-cost.ts';
import { type TestCaller, unique } from './caller.ts';
import { call } from './client.ts';
import { newEmail, newPerson } from './person.ts';

const inviteBody = () => ({ email: newEmail(), roles: { '*': 'viewer' } });
const newMember = async ({ orgid }: TestCaller) => {
  const { id: userid } = await newPerson({ orgid, role: 'viewer' });
  return { params: { userid } };
};
const newWorkspace = async ({ key }: TestCaller) => {
  const { workspaceid } = (await call('createWorkspace', { key, body: { name: 'One' } })).body;
  return { params: { workspace_id: workspaceid } };
};

export const memberCases: Readonly<Record<string, Case>> = {
  'access: list members': {
    operation: 'listMembers',
    prepare: async (caller) => {
      await newMember(caller);
      return { query: {} };
    },
  },
  'access: invite a member': { operation: 'inviteMember', prepare: async () => ({ body: inviteBody() }) },
  'access: get a member': { operation: 'getMember', prepare: newMember },
  'access: change the role of a member': {
    operation: 'changeMember',
    prepare: async (caller) => ({ ...(await newMember(caller)), body: { roles: { '*': 'builder' } } }),
  },
  'access: make an owner': {
    operation: 'changeMember',
    prepare: async (caller) => ({ ...(await newMember(caller)), body: { roles: { '*': 'owner' } } }),
  },
  'access: remove a member with one session': { operation: 'removeMember', prepare: newMember },
  'access: list open invitations': {
    operation: 'listInvitations',
    prepare: async ({ key }) => {
      await call('inviteMember', { key, body: inviteBody() });
      return { query: {} };
    },
  },
  'access: withdraw an invitation': {
    operation: 'withdrawInvitation',
    prepare: async ({ key }) => {
      const { invitationid } = (await call('inviteMember', { key, body: inviteBody() })).body;
      return { params: { invitationid } };
    },
  },
  'access: create a workspace': {
    operation: 'createWorkspace',
    prepare: async () => ({ body: { workspaceid: unique('ws'), name: 'One' } }),
  },
  'access: list workspaces': {
    operation: 'listWorkspaces',
    prepare: async (caller) => {
      await newWorkspace(caller);
      return { query: {} };
    },
  },
  'access: get a workspace': { operation: 'getWorkspace', prepare: newWorkspace },
  'access: rename a workspace': {
    operation: 'renameWorkspace',
    prepare: async (caller) => ({ ...(await newWorkspace(caller)), body: { name: 'Two' } }),
  },
  'access: delete an empty workspace': { operation: 'deleteWorkspace', prepare: newWorkspace },
};
