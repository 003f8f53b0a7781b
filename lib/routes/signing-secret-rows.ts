// What the rows of webhook secrets and of callback secrets have in common: both are sets of signing secrets.
import * as z from 'zod';
import { management } from '#lib/http/route.ts';
import { workspaceid } from '#lib/ids.ts';
import { createdSecret, newSecretBody, signingSecret } from '#lib/webhook-secret/signing-secret.ts';

const secretRow = { ...management, tag: 'Access', query: z.strictObject({ workspaceid }) } as const;

export const setSecret = {
  ...secretRow,
  method: 'PUT',
  permission: 'assistants.flows:update',
  body: newSecretBody,
  bodyKind: 'management',
  response: {
    status: 200,
    description: 'The secrets in force; only this answer shows a new secret.',
    schema: createdSecret,
  },
  errors: ['version_conflict', 'payload_unreadable'],
  uses: ['flowKey.open', 'flowKey.seal', 'signingSecrets.write'],
} as const;
export const getSecret = {
  ...secretRow,
  method: 'GET',
  permission: 'assistants.flows:read',
  response: {
    status: 200,
    description: 'The secrets in force, with the time since when.',
    schema: signingSecret,
  },
  errors: ['signing_secret_not_found'],
  uses: [],
} as const;
export const deleteSecret = {
  ...secretRow,
  method: 'DELETE',
  permission: 'assistants.flows:update',
  response: { status: 204, description: 'No secret is in force.' },
  errors: ['signing_secret_not_found'],
  uses: ['signingSecrets.write'],
} as const;

/** Part of the descriptions of both `PUT` operations. */
export const rotation = [
  'With `{}` the service generates the secret, which only this response contains. Previous ' +
    'secrets stay valid for `keep_former_hours`; at most five secrets are valid at a time.',
  'Setting the newest secret again changes nothing.',
].join(' ');
