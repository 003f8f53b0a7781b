// What callers see when others change the same member or workspace all the time, and when responses of DynamoDB get
// lost: a proxy answers in its place. The handlers run in this process, so that no other test is disturbed.
import { describe, expect, test } from 'vitest';
import * as change from '#functions/member/change.ts';
import * as invite from '#functions/member/invite.ts';
import * as remove from '#functions/member/remove.ts';
import * as withdraw from '#functions/member/withdraw-invitation.ts';
import * as create from '#functions/workspace/create.ts';
import * as forget from '#functions/workspace/delete.ts';
import * as rename from '#functions/workspace/rename.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { conflict, invokeHere, judgeDynamoDb } from '#test/support/judged-calls.ts';
import { newEmail, newPerson } from '#test/support/person.ts';

const handlers = {
  inviteMember: invite.handler,
  withdrawInvitation: withdraw.handler,
  changeMember: change.handler,
  removeMember: remove.handler,
  createWorkspace: create.handler,
  renameWorkspace: rename.handler,
  deleteWorkspace: forget.handler,
};
type Operation = keyof typeof handlers;
const operations = Object.keys(handlers) as Operation[];

const judge = judgeDynamoDb();
const invoke = invokeHere<Operation>(handlers);

/** A request of each operation, sent to this process. */
async function request(operation: Operation) {
  const { key, orgid } = await newCaller();
  const email = newEmail();
  const roles = { '*': 'viewer' };
  const invited = await call('inviteMember', { key, body: { email: newEmail(), roles } });
  const { id: userid } = await newPerson({ orgid, role: 'viewer' });
  const { workspaceid } = (await call('createWorkspace', { key, body: { name: 'One' } })).body;
  const options = {
    inviteMember: { body: { email, roles } },
    withdrawInvitation: { params: { invitationid: invited.body.invitationid } },
    changeMember: { params: { userid }, body: { roles: { '*': 'owner' } } },
    removeMember: { params: { userid } },
    createWorkspace: { body: { name: 'One' } },
    renameWorkspace: { params: { workspace_id: workspaceid }, body: { name: 'Two' } },
    deleteWorkspace: { params: { workspace_id: workspaceid } },
  };
  return async () => await invoke(operation, { key, ...options[operation] });
}

describe('409', () => {
  test.each(['changeMember', 'removeMember', 'renameWorkspace', 'deleteWorkspace'] as const)(
    '%s gives up after some attempts and may be sent again',
    async (operation) => {
      const send = await request(operation);
      judge((name) => (name === 'TransactWriteItems' ? conflict : 'pass'));
      const { code, headers } = await send();
      expect(code).toBe('version_conflict');
      expect(headers['retry-after']).toBe('1');
    },
  );
});

describe('503', () => {
  test.each(['inviteMember', 'withdrawInvitation', 'createWorkspace'] as const)(
    '%s does not take another transaction for what is there',
    async (operation) => {
      const send = await request(operation);
      judge((name) => (name === 'TransactWriteItems' ? conflict : 'pass'));
      expect((await send()).code).toBe('dependency_unavailable');
    },
  );
});

describe('a change', () => {
  test.each(operations)('%s that conflicts with another takes effect', async (operation) => {
    const send = await request(operation);
    let met = 0;
    judge((name) => (name === 'TransactWriteItems' && ++met <= 2 ? conflict : 'pass'));
    expect((await send()).code).toBeUndefined();
    expect(met).toBe(3);
  });

  test.each(operations)('%s takes effect once if the response of DynamoDB is lost', async (operation) => {
    const send = await request(operation);
    let met = 0;
    judge((name) => (name === 'TransactWriteItems' && ++met === 1 ? 'lose answer' : 'pass'));
    expect((await send()).code).toBeUndefined();
  });
});

test('a removal that cannot delete sessions has ended the access nevertheless', async () => {
  const { key, orgid } = await newCaller();
  const member = await newPerson({ orgid, role: 'viewer' });
  judge((name) =>
    name === 'BatchWriteItem' ? { status: 500, error: { __type: 'InternalServerError' } } : 'pass',
  );
  expect((await invoke('removeMember', { key, params: { userid: member.id } })).statusCode).toBe(503);
  judge(() => 'pass');
  const found = await call('getMember', { key, params: { userid: member.id } });
  expect(found.problem.code).toBe('member_not_found');
  const again = await newPerson({ email: member.email, orgid, role: 'viewer' });
  expect((await call('getMe', { headers: again.page })).status).toBe(200);
});
