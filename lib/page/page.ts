// The frame of every page, with the headers that it is sent with. There is no script, and nothing is loaded from
// anywhere: the style is in the page, and the policy names its hash.
import { createHash } from 'node:crypto';
import { requireEnv } from '#lib/env.ts';
import { type Html, html } from './html.ts';
import { style } from './style.ts';

interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  /** Where the browser goes at once. */
  readonly redirect?: string;
  /** The request id, for pages about a failure. */
  readonly requestId?: string;
  /** The code of an error, for tests and tools. */
  readonly code?: string;
  /** For a page whose address holds no secret, and whose form is checked by `Origin`, which browsers withhold else. */
  readonly referrer?: 'same-origin';
}

export interface PageAnswer {
  readonly text: string;
  readonly contentType: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

const contentType = 'text/html; charset=utf-8';

export const toPage = (page: Page): PageAnswer => ({
  text: document(page).markup,
  contentType,
  status: page.status,
  headers: { ...pageHeaders(), ...(page.referrer && { 'referrer-policy': page.referrer }) },
});

/** 303: the browser gets the page there, so that reloading it sends no form again. */
export const seeOther = (location: string): PageAnswer => ({
  text: '',
  contentType,
  status: 303,
  headers: { ...pageHeaders(), location },
});

const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'none'",
  `style-src '${styleHash}'`,
  // The empty icon, without which a browser asks for one.
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = () => ({
  'content-security-policy': contentSecurityPolicy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  ...(requireEnv('GATEWAY_URL').startsWith('https:') && {
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }),
});

/** The style is ours and has no markup. */
const styleElement = html`<style>${trusted(style)}</style>`;

const document = ({ title, body, redirect, requestId, code }: Page): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${code !== undefined && html`<meta name="error-code" content="${code}">`}
${redirect !== undefined && html`<meta http-equiv="refresh" content="0; url=${redirect}">`}
<title>${title}</title>
<link rel="icon" href="data:,">
${styleElement}
</head>
<body>
<main>
${body}
${requestId !== undefined && html`<p class="reference">Reference: <code>${requestId}</code></p>`}
</main>
</body>
</html>
`;

/** Without a character that `html` would escape, so that the hash of the style is that of the element. */
function trusted(text: string): string {
  if (/[&<>"'`]/.test(text)) throw new Error('The style has a character that HTML escapes.');
  return text;
}
