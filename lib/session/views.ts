// The pages of sign-in: what each says, as HTML. They read nothing and decide nothing. Addresses are relative, so that
// they are right whatever stage is in the address.
import type { Member } from '#lib/access/member-items.ts';
import { type Html, html, isolated } from '#lib/page/html.ts';
import { type PageAnswer, toPage } from '#lib/page/page.ts';
import type { Identity } from './identity-provider.ts';
import type { SignInContent } from './sign-in-state.ts';

/** The provider asks who it is: without it, somebody who has just signed out would be signed in again at once. */
const signInAgain = 'login?prompt=login';

export const showSignedIn = ({ name, email, userid, orgid, roles }: Member): PageAnswer =>
  toPage({
    status: 200,
    title: 'You are signed in',
    referrer: 'same-origin',
    body: html`
<h1>You are signed in</h1>
<dl class="facts">
<div><dt>Who</dt><dd>${isolated(name ?? email ?? userid)}${name !== undefined && email !== undefined && html` <span class="detail">${isolated(email)}</span>`}</dd></div>
<div><dt>Organisation</dt><dd>${isolated(orgid)} <span class="detail">as ${showRoles(roles)}</span></dd></div>
</dl>
<p class="note">You are signed out after eight hours without use, and after a day at the latest.</p>
<form method="post" action="logout">
<button class="button quiet">Sign out</button>
</form>`,
  });

export const showRoles = (roles: Member['roles']): Html =>
  html`${Object.entries(roles).map(([name, role], n) => html`${n > 0 && ', '}${role} in ${name === '*' ? 'all workspaces' : isolated(name)}`)}`;

export const showSignedOut = (): PageAnswer =>
  toPage({
    status: 200,
    title: 'You are not signed in',
    referrer: 'same-origin',
    body: html`
<h1>You are not signed in</h1>
<p>Sign in to see the agents, runs and connections of your organisation.</p>
<a class="button" href="${signInAgain}">Sign in</a>`,
  });

/** Whoever signs in as somebody else goes to what they wanted at first. */
export const showNoMember = ({ email, name }: Identity, { orgid, return_to }: SignInContent): PageAnswer =>
  toPage({
    status: 403,
    title: 'You are not a member',
    code: 'not_a_member',
    referrer: 'same-origin',
    body: html`
<h1>You are not a member${orgid === undefined ? ' of any organisation here' : html` of ${isolated(orgid)}`}</h1>
<p>You have signed in${(name ?? email) !== undefined && html` as ${isolated(name ?? email ?? '')}`}, but ${
      email === undefined
        ? 'your identity provider has not verified your e-mail address, and invitations are for verified addresses. Verify it there, then sign in again.'
        : html`there is no invitation for you. Ask an owner or admin of your organisation to invite ${isolated(email)}, then sign in at the address that they give you.`
    }</p>
<a class="button" href="${signInAgain}&${String(new URLSearchParams({ ...(orgid !== undefined && { orgid }), return_to }))}">Sign in as somebody else</a>`,
  });
