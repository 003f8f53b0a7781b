// The pages: what each says, as HTML. They read nothing and decide nothing.

import { type PrincipalKind, principalKind } from '#lib/access/principal.ts';
import { type Html, html, isolated, linkTo } from '#lib/page/html.ts';
import { type PageAnswer, toPage } from '#lib/page/page.ts';
import type { RunState } from '#lib/run/result.ts';
import type { DescribedAgent, DescribedPrincipal } from './describe-agent.ts';
import { type Field, fieldsByType, inputName } from './fields.ts';
import type { LinkReference, WantedConnection } from './open-link.ts';

/** Relative, so that it is right whatever name of the host and stage are in the address. */
const formAction = 'agent-config';

export const showNoLink = (): PageAnswer =>
  toPage({
    status: 200,
    title: 'Connect an agent',
    body: html`
<h1>Open the link that your agent gave you</h1>
<p>On this page you give an agent the access that it asks for, such as a token or a password. An agent that needs access sends a link, which is good once and for a few minutes.</p>
<p>Ask the agent again if you do not have a link, or if the one that you have was cut off: it ends with a long row of letters and digits.</p>
<p class="note">Signing in here without a link is not possible yet; it will be later.</p>`,
  });

export interface FormView {
  readonly link: LinkReference;
  readonly agent: DescribedAgent;
  readonly principal: DescribedPrincipal;
  /** All that are missing; the first that is storable is the one that the form is for. */
  readonly wanted: readonly WantedConnection[];
  readonly current: WantedConnection;
  /** What was sent, where it has mistakes. */
  readonly sent?: { readonly form: URLSearchParams; readonly mistakes: ReadonlyMap<string, string> };
}

export function showForm(view: FormView): PageAnswer {
  const { agent, current, sent, link } = view;
  const count = sent?.mistakes.size ?? 0;
  const title = `${agent.name} needs ${nameConnection(current)}`;
  return toPage({
    status: sent ? 400 : 200,
    title: sent ? `Error: ${title}` : title,
    body: html`
${showAgent(agent)}
<h1>${isolated(agent.name)} needs ${isolated(nameConnection(current))}</h1>
${sent && showStatus('bad', count === 1 ? 'One field needs your attention' : `${count} fields need your attention`, 'Nothing was stored. What you typed as a secret is not shown again.')}
${showSteps(view)}
${showFacts(view)}
<h2>${isConnectable(current) ? 'Give access' : 'Enter it here'}</h2>
<p class="hint">Continue only if you started this task yourself.</p>
<form method="post" action="${formAction}" autocomplete="off">
${hiddenInputs(link, current)}
${isConnectable(current) ? showConnect(current) : showFields(current, sent)}
</form>
<p class="note">The value is encrypted, and nobody can read it back. The task of the agent continues by itself once it has what it needs.</p>`,
  });
}

/** A connection of an OAuth user whose flow says where to ask for access. */
const isConnectable = ({ type, oauth }: WantedConnection): boolean =>
  type === 'oauth_user' && oauth !== undefined;

const nameConnection = ({ label, name }: Pick<WantedConnection, 'label' | 'name'>): string => label ?? name;

const showAgent = ({ name, orgid, workspaceid }: DescribedAgent): Html => html`
<div class="agent">
<span class="mark" aria-hidden="true">${[...name.trim()][0]?.toUpperCase() ?? 'A'}</span>
<div><p class="name">${isolated(name)}</p><p class="owner">Agent of ${isolated(orgid)} · ${isolated(workspaceid)}</p></div>
</div>`;

function showSteps({ wanted, current }: Pick<FormView, 'wanted' | 'current'>): Html | undefined {
  if (wanted.length < 2) return undefined;
  const steps = [current, ...wanted.filter(({ isStorable, name }) => isStorable && name !== current.name)];
  const others = wanted.filter(({ isStorable }) => !isStorable);
  return html`
${
  steps.length > 1 &&
  html`<ol class="steps" aria-label="What the agent needs">
${steps.map((each) => html`<li${each === current && html` aria-current="step"`}>${isolated(nameConnection(each))}</li>`)}
</ol>`
}
${others.length > 0 && showStatus('wait', 'Somebody else must add the rest', html`${listNames(others)} belongs to the whole workspace. Ask somebody who may manage its connections.`)}`;
}

const listNames = (wanted: readonly WantedConnection[]): Html[] =>
  wanted.map((each, n) => html`${n > 0 && ', '}${isolated(nameConnection(each))}`);

const typeNames: Readonly<Record<WantedConnection['type'], string>> = {
  http_bearer: 'an access token',
  http_header: 'a value for a request header',
  http_query: 'a value for a query parameter',
  http_basic: 'a user name and a password',
  oauth_client_credentials: 'the credentials of an OAuth client',
  oauth_user: 'access to an account (OAuth)',
  aws_sigv4: 'a role of AWS',
};

const showFacts = ({ current, principal }: FormView): Html => html`
<dl class="facts">
<div><dt>What it wants</dt><dd>${isolated(nameConnection(current))} <span class="detail">${typeNames[current.type]}, called <code>${current.name}</code> in the agent</span></dd></div>
<div><dt>Where the value may go</dt><dd><ul>${current.hosts.map((host) => html`<li><code>${host}</code></li>`)}</ul> <span class="detail">and nowhere else</span></dd></div>
${current.aws && html`<div><dt>What it is for at AWS</dt><dd>${isolated(current.aws.services.join(', '))} <span class="detail">in ${isolated(current.aws.regions.join(', '))}</span></dd></div>`}
${current.externalId !== undefined && html`<div><dt>External ID</dt><dd><code>${current.externalId}</code> <span class="detail">which the trust policy of the role must require (sts:ExternalId), for sts:AssumeRole and sts:TagSession</span></dd></div>`}
<div><dt>For whom it is stored</dt><dd>${showOwner(current, principal)}</dd></div>
</dl>`;

const showOwner = ({ scope }: WantedConnection, { id, label, orgid }: DescribedPrincipal): Html =>
  scope === 'user'
    ? html`You <span class="detail">only for what ${label === undefined ? nameStarter(id) : html`“${isolated(label)}”`} of ${isolated(orgid)} starts</span>`
    : html`The workspace <span class="detail">for everybody who uses its agents</span>`;

const starters: Readonly<Record<PrincipalKind, string>> = {
  user: 'the person',
  api_key: 'the key',
  service: 'the service',
};

const nameStarter = (id: string): Html => html`${starters[principalKind(id)]} <code>${id}</code>`;

const hiddenInputs = ({ taskId, token }: LinkReference, current: WantedConnection): Html => html`
<input type="hidden" name="task_id" value="${taskId}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="connection" value="${current.name}">`;

const showConnect = ({ oauth }: WantedConnection): Html => html`
<p>You sign in at <strong>${URL.parse(oauth?.authorization_url ?? '')?.host}</strong> and decide there. Your password stays there.</p>
<button class="button" name="action" value="connect">Connect</button>`;

const showFields = ({ type }: WantedConnection, sent: FormView['sent']): Html => html`
${fieldsByType[type].map((field) => showField(field, sent))}
<button class="button" name="action" value="store">Store</button>`;

function showField(field: Field, sent: FormView['sent']): Html {
  const id = inputName(field);
  const mistake = sent?.mistakes.get(field.name);
  const described = [
    field.hint !== undefined && `${id}-hint`,
    mistake !== undefined && `${id}-mistake`,
  ].filter(Boolean);
  return html`<div class="field">
<label for="${id}">${field.label}${field.isOptional && html` <span class="optional">(optional)</span>`}</label>
${field.hint !== undefined && html`<p class="hint" id="${id}-hint">${field.hint}</p>`}
${field.choices ? showChoices(field, sent) : showInput(field, sent, described.join(' '))}
${mistake !== undefined && html`<p class="mistake" id="${id}-mistake">${mistake}</p>`}
</div>`;
}

/** The value of a secret is never written into a page. */
function showInput(field: Field, sent: FormView['sent'], described: string): Html {
  const id = inputName(field);
  const value = field.isSecret ? undefined : (sent?.form.get(id) ?? undefined);
  return html`<input id="${id}" name="${id}" type="${field.isSecret ? 'password' : 'text'}"${field.inputMode && html` inputmode="${field.inputMode}"`} autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${!field.isOptional && html` required`}${described !== '' && html` aria-describedby="${described}"`}${sent?.mistakes.has(field.name) && html` aria-invalid="true"`}${value !== undefined && html` value="${value}"`}>`;
}

function showChoices(field: Field, sent: FormView['sent']): Html {
  const id = inputName(field);
  const chosen = sent?.form.get(id);
  return html`<select id="${id}" name="${id}">${field.choices?.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}</select>`;
}

/** The policy of forms holds for redirects after them too, so this page leads to the other site, and not a redirect. */
export const showLeaving = (url: URL): PageAnswer =>
  toPage({
    status: 200,
    title: `Continue at ${url.host}`,
    redirect: url.href,
    body: html`
<h1>Continue at ${isolated(url.host)}</h1>
<p>You are taken there to sign in, and come back to this page afterwards.</p>
<a class="button" href="${linkTo(url.href)}" rel="noreferrer">Continue</a>`,
  });

export interface StateView {
  readonly agent: DescribedAgent;
  readonly status: RunState['status'];
  /** What is missing and cannot be stored with this link. */
  readonly wanted: readonly WantedConnection[];
  /** Where to look again. */
  readonly address: string;
  readonly isUsed: boolean;
  readonly httpStatus: 200 | 409;
}

export function showState({ agent, status, wanted, address, isUsed, httpStatus }: StateView): PageAnswer {
  const [tone, word, text] = describeState(status, wanted.length > 0);
  const isOver = status === 'completed' || status === 'failed' || status === 'canceled';
  const title =
    httpStatus === 409
      ? 'This link has been used'
      : isUsed
        ? 'Thank you, it is stored'
        : 'Nothing to do here';
  return toPage({
    status: httpStatus,
    title: `${title}: ${agent.name}`,
    ...(httpStatus === 409 && { code: 'configuration_link_used' }),
    body: html`
${showAgent(agent)}
<h1>${title}</h1>
${httpStatus === 409 && html`<p>A link is good once. What was sent with it first counts; what you just sent was not stored.</p>`}
${showStatus(tone, `Task: ${word}`, text)}
${wanted.length > 0 && html`<p>Still missing: ${listNames(wanted)}. Ask the agent for a new link if you have none.</p>`}
${
  isOver
    ? html`<p class="lead">You can close this page.</p>`
    : html`<p class="lead">You can close this page, or see how the task gets on.</p>
<a class="button quiet" href="${linkTo(address)}">Look again</a>`
}`,
  });
}

type Tone = 'good' | 'bad' | 'wait' | 'plain';

function describeState(status: RunState['status'], isMissing: boolean): readonly [Tone, string, string] {
  switch (status) {
    case 'auth_required':
      return isMissing
        ? ['wait', 'waiting', 'The agent continues by itself once everything that it needs is stored.']
        : ['plain', 'about to continue', 'Everything that the agent needs is stored.'];
    case 'pending':
      return ['plain', 'working', 'The agent continues by itself.'];
    case 'input_required':
      return ['wait', 'asks a question', 'Answer it where you talk with the agent.'];
    case 'completed':
      return ['good', 'completed', 'The result is where you talk with the agent.'];
    case 'failed':
      return ['bad', 'failed', 'The agent could not finish. It says why where you talk with it.'];
    case 'canceled':
      return ['wait', 'canceled', 'The task was canceled.'];
  }
}

const showStatus = (tone: Tone, word: string, text: string | Html): Html =>
  html`<div class="status ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}"><p><strong>${word}</strong>${text}</p></div>`;

/** For somebody who may store none of what is missing. */
export const showOthersMustStore = (
  agent: DescribedAgent,
  wanted: readonly WantedConnection[],
  address: string,
): PageAnswer =>
  toPage({
    status: 200,
    title: `${agent.name} waits for its workspace`,
    body: html`
${showAgent(agent)}
<h1>Somebody else must add this</h1>
<p>The agent needs ${listNames(wanted)}, which belongs to the whole workspace ${isolated(agent.workspaceid)}. The key that started this task may not manage the connections of that workspace.</p>
<p>Ask somebody who may. The task continues by itself once everything is stored.</p>
<a class="button quiet" href="${linkTo(address)}">Look again</a>`,
  });

export const showExpired = (agent: DescribedAgent, { taskId, token }: LinkReference): PageAnswer =>
  toPage({
    status: 410,
    title: 'This link has expired',
    code: 'configuration_link_expired',
    body: html`
${showAgent(agent)}
<h1>This link has expired</h1>
<p>A link is good for a few minutes, so that nobody can use it who finds it later. The agent is still waiting.</p>
<form method="post" action="${formAction}">
<input type="hidden" name="task_id" value="${taskId}">
<input type="hidden" name="token" value="${token}">
<button class="button" name="action" value="replace">Get a new link</button>
</form>`,
  });
