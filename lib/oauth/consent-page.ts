// The consent page and the page after it, as HTML. They read nothing and decide nothing. Addresses are relative, so that
// they are right whatever stage is in the address.
import { oauthScopes, scopeDescriptions } from '#lib/access/oauth-scope.ts';
import { resourceUrls } from '#lib/access/resource.ts';
import { type Html, html, isolated } from '#lib/page/html.ts';
import { type PageAnswer, toPage } from '#lib/page/page.ts';
import { showRoles } from '#lib/session/views.ts';
import type { AskedFor } from './authorization-request.ts';
import { makeFormToken } from './form-token.ts';
import { describeTarget } from './redirect-uri.ts';
import type { SignedIn } from './signed-in.ts';
import type { WorkspaceChoice } from './workspace-choice.ts';

/** A form that cannot be accepted, and why. */
interface Mistake {
  readonly text: string;
  readonly form: URLSearchParams;
}

interface Shown {
  readonly asked: AskedFor;
  readonly signedIn: SignedIn;
  readonly choice: WorkspaceChoice;
  readonly mistake?: Mistake;
}

export function showConsent({ asked, signedIn, choice, mistake }: Shown): PageAnswer {
  const { member, sessionToken } = signedIn;
  const title = `${nameClient(asked)} asks for access`;
  return toPage({
    status: mistake === undefined ? 200 : 400,
    title: mistake === undefined ? title : `Error: ${title}`,
    referrer: 'same-origin',
    body: html`
<h1>${isolated(nameClient(asked))} asks for access</h1>
<p class="lead">Allow it only if you have just connected this program yourself.</p>
${mistake !== undefined && html`<div class="status bad" role="alert"><p><strong>${mistake.text}</strong></p></div>`}
<dl class="facts">
<div><dt>Program</dt><dd>${isolated(nameClient(asked))} <span class="detail">${describeOrigin(asked)}</span></dd></div>
<div><dt>The access goes to</dt><dd>${isolated(describeTarget(asked.redirectUri))}</dd></div>
<div><dt>It may</dt><dd><ul>${describeScopes(asked.scopes).map((text) => html`<li>${text}</li>`)}</ul>
<span class="detail">${describeResource(asked)} Never more than your own role allows.</span></dd></div>
<div><dt>You</dt><dd>${isolated(member.name ?? member.email ?? member.userid)} <span class="detail">${member.email !== undefined && html`${isolated(member.email)}, `}${isolated(member.orgid)}: ${showRoles(member.roles)}</span></dd></div>
</dl>
${showOrganisations(signedIn)}
<h2>Your answer</h2>
<form method="post">
<input type="hidden" name="token" value="${makeFormToken({ uid: asked.uid, sessionToken })}">
<input type="hidden" name="orgid" value="${member.orgid}">
${showWorkspaces(choice, mistake?.form)}
<p><button class="button" name="action" value="allow">Allow</button></p>
<p><button class="button quiet" name="action" value="refuse">Refuse</button></p>
</form>
<p class="note">The access ends after a year, when you leave ${isolated(member.orgid)}, or when the program gives it back.</p>`,
  });
}

const nameClient = ({ clientName, clientId }: AskedFor): string => clientName || hostOf(clientId) || clientId;
const hostOf = (clientId: string): string | undefined => URL.parse(clientId)?.host;

/** Who registers by itself can take any name; who is known by a URL controls what is there. */
function describeOrigin({ clientId }: AskedFor): Html {
  const host = hostOf(clientId);
  return host ? html`described at ${isolated(host)}` : html`registered itself: nobody has verified its name`;
}

/** In the order of the table. */
const describeScopes = (scopes: readonly string[]): readonly string[] => [
  ...oauthScopes.filter((scope) => scopes.includes(scope)).map((scope) => scopeDescriptions[scope]),
  ...(scopes.includes('openid') ? ['Recognise you when you come back.'] : []),
];

const describeResource = ({ resource }: AskedFor): string =>
  resourceUrls('connector').includes(resource)
    ? 'With the tools for AI assistants.'
    : 'With the API of the service.';

function showOrganisations({ member, memberships }: SignedIn): Html | undefined {
  if (memberships.length < 2) return undefined;
  return html`
<h2>Organisation</h2>
<form method="get">
<div class="field"><label for="orgid">For which organisation?</label>
<select id="orgid" name="orgid">${memberships.map(({ orgid }) => html`<option value="${orgid}"${orgid === member.orgid && html` selected`}>${orgid}</option>`)}</select></div>
<button class="button quiet">Change the organisation</button>
</form>`;
}

/** With the choice of an earlier form, if there was one. */
function showWorkspaces(choice: WorkspaceChoice, form: URLSearchParams | undefined): Html {
  const isChecked = (id: string) =>
    form ? form.getAll('workspace').includes(id) : id === '*' || !choice.hasAll;
  const single = choice.shown.map(({ workspaceid, name }) =>
    showCheckbox(
      workspaceid,
      name === undefined
        ? isolated(workspaceid)
        : html`${isolated(name)} <span class="detail">${isolated(workspaceid)}</span>`,
      isChecked(workspaceid),
    ),
  );
  if (!choice.hasAll)
    return html`
<fieldset class="field"><legend>Workspaces that it may use</legend>
${single}
</fieldset>`;
  const isOpen = form !== undefined || (single.length > 0 && single.length <= openMax);
  return html`
<fieldset class="field"><legend>Workspaces that it may use</legend>
${showCheckbox('*', 'All workspaces, including new ones', isChecked('*'))}
<details${isOpen && html` open`}><summary>Only some workspaces</summary>
<p class="hint">To allow only these, clear “All workspaces” above.</p>
${single}
${countHidden(choice) !== '' && html`<p class="hint">${countHidden(choice)}</p>`}
<div class="field"><label for="workspaces">Ids of ${single.length > 0 && 'other '}workspaces <span class="optional">(optional)</span></label>
<p class="hint" id="workspaces-hint">Only workspaces with a name are listed. Type the ids of others, separated by commas.</p>
<input id="workspaces" name="workspaces" autocomplete="off" aria-describedby="workspaces-hint" value="${form?.get('workspaces') ?? ''}"></div>
</details>
</fieldset>`;
}

/** A list of more is closed at first, so that the buttons stay near. */
const openMax = 5;

const showCheckbox = (value: string, text: Html | string, isChecked: boolean): Html =>
  html`<label class="choice"><input type="checkbox" name="workspace" value="${value}"${isChecked && html` checked`}><span>${text}</span></label>
`;

function countHidden({ hiddenCount, hasMore }: WorkspaceChoice): string {
  if (hiddenCount === 0) return '';
  const amount = hasMore ? `More than ${hiddenCount} other` : `${hiddenCount} other`;
  return `${amount} ${hiddenCount === 1 ? 'workspace is' : 'workspaces are'} not shown.`;
}

/**
 * Browsers check redirects that follow a form against the policy of its page, and clients redirect further. So the way
 * back is a page of its own.
 */
export const showAnswered = (asked: AskedFor, location: string): PageAnswer =>
  toPage({
    status: 200,
    title: 'Back to the program',
    redirect: location,
    body: html`
<h1>Back to ${isolated(nameClient(asked))}</h1>
<p>Your answer goes to ${isolated(describeTarget(asked.redirectUri))}. If nothing happens, continue by hand; afterwards you can close this page.</p>
<a class="button" href="${location}">Continue</a>`,
  });

/** A request whose client and redirect URI are not known for certain, so that no client gets the error. */
export const showRefusedRequest = (status: number, error: string, description: string): PageAnswer =>
  toPage({
    status,
    title: 'The program cannot be connected',
    code: error,
    body: html`
<h1>The program cannot be connected</h1>
<p>What it sent is not a request that this service can answer. Nothing was given to anybody.</p>
<p class="note"><code>${error}</code> ${isolated(description)}</p>`,
  });
