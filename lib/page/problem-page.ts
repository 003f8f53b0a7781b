// An error as a page.
import type { Problem } from '#lib/http/problem.ts';
import { html, linkTo } from './html.ts';
import { type PageAnswer, toPage } from './page.ts';

/** An error of any kind. `back` is a link with which to try again. */
export const showProblem = (
  { status, title, detail, errors = [], instance, code }: Problem,
  back?: string,
): PageAnswer =>
  toPage({
    status,
    title,
    code,
    requestId: instance,
    body: html`
<h1>${title}</h1>
${detail !== undefined && html`<p>${detail}</p>`}
${errors.length > 0 && html`<ul>${errors.map((each) => html`<li><code>${each.pointer.split('/').at(-1)}</code> ${each.detail}</li>`)}</ul>`}
${status >= 500 && html`<p>Nothing that you did is wrong. Wait a moment, then reload this page.</p>`}
${back !== undefined && html`<a class="button" href="${linkTo(back)}">Try again</a>`}`,
  });
