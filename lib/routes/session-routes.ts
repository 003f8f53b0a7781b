// Sign-in and sessions of people, and who a caller is.
import * as z from 'zod';
import { sessionId } from '#lib/access/session-items.ts';
import { management, route } from '#lib/http/route.ts';
import { orgid } from '#lib/ids.ts';
import { me, session } from '#lib/session/session.ts';

const page = {
  tag: 'Access',
  credentials: [],
  response: {
    status: 200,
    description: 'A page. Errors are pages too.',
    contentType: 'text/html',
    schema: z.string().meta({ id: 'SignInPage' }),
  },
  timeout: 'quick',
  transfer: 'buffered',
} as const;

const shared = { ...management, tag: 'Access' } as const;

export const sessionRoutes = {
  beginSignIn: route({
    ...page,
    method: 'GET',
    path: '/auth/login',
    otherMethods: 'byFunction',
    entry: 'session/login',
    redirects: true,
    summary: 'Sign in',
    description:
      'For browsers. 303 leads to the identity provider of the tenant, which sends the browser to `/auth/callback`.',
    query: z.strictObject({
      return_to: z.string().max(1_024).optional().meta({
        description: 'The path of the page of this service that follows; `/auth/session` unless given.',
        example: '/auth/session',
      }),
      orgid: orgid.optional().meta({ description: 'For members of several organisations.' }),
      prompt: z.enum(['login', 'select_account']).optional().meta({
        description: 'Asks the identity provider not to choose by itself who signs in.',
      }),
    }),
    errors: ['sign_in_not_configured', 'rate_limited'],
    uses: ['limits.count', 'identityProvider.call'],
  }),

  finishSignIn: route({
    ...page,
    method: 'GET',
    path: '/auth/callback',
    otherMethods: 'byFunction',
    entry: 'session/callback',
    redirects: true,
    audited: 'byFunction',
    summary: 'Come back from the identity provider',
    description:
      'The redirect URI of the service. 303 leads to the page that was asked for, with the cookie of a new session. It accepts only what the same browser asked for, within ten minutes.',
    query: z.object({
      state: z.string().max(4_096).optional(),
      code: z.string().max(4_096).optional(),
      error: z.string().max(200).optional(),
      iss: z.string().max(2_048).optional(),
    }),
    errors: ['sign_in_failed', 'not_a_member', 'sign_in_not_configured', 'rate_limited'],
    uses: ['control.read', 'sessions.write', 'members.join', 'limits.count', 'identityProvider.call'],
  }),

  showSession: route({
    ...page,
    method: 'GET',
    path: '/auth/session',
    otherMethods: 'byFunction',
    entry: 'session/show',
    summary: 'Show who is signed in',
    description: 'A page with a button to sign in or out.',
    query: z.object({}),
    errors: ['rate_limited'],
    uses: ['control.read', 'credentials.note', 'limits.count'],
  }),

  signOut: route({
    ...page,
    method: 'POST',
    path: '/auth/logout',
    entry: 'session/logout',
    otherMethods: 'byFunction',
    redirects: true,
    audited: 'byFunction',
    summary: 'Sign out',
    description:
      'For pages of the service. The session of the cookie ends, and 303 leads to `/auth/session`.',
    query: z.object({}),
    errors: ['cross_site_request', 'rate_limited'],
    uses: ['control.read', 'sessions.write', 'limits.count'],
  }),

  getMe: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/me',
    otherMethods: 'byFunction',
    entry: 'session/me',
    summary: 'Who the caller is',
    description: 'The principal, its organisation, workspaces and permissions. It takes no permission.',
    response: { status: 200, description: 'The caller.', schema: me },
    errors: [],
    uses: [],
  }),

  listSessions: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/sessions',
    otherMethods: 'byFunction',
    entry: 'session/list',
    summary: 'List your sessions',
    description:
      'The open sessions of the user, newest first, 100 at most. API keys have none, and access tokens show none.',
    response: {
      status: 200,
      description: 'The sessions.',
      schema: z.strictObject({ items: z.array(session) }).meta({ id: 'SessionList' }),
    },
    errors: ['permission_denied'],
    uses: [],
  }),

  endSession: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/sessions/{sessionid}',
    otherMethods: 'byFunction',
    entry: 'session/end',
    audited: true,
    summary: 'End one of your sessions',
    description: 'It is refused everywhere within a minute.',
    params: z.strictObject({ sessionid: sessionId }),
    response: { status: 204, description: 'Ended.' },
    errors: ['permission_denied', 'session_not_found'],
    uses: ['sessions.write'],
  }),
} as const;
