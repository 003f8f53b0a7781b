// The URL of a request: literal up to its host, or one expression whose host is checked when the request is sent;
// with a path whose values keep their slashes, and a query.
import type { Json } from '#lib/json/json.ts';
import { isWrittenAsUrl } from '#lib/web-url.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { pathTemplate, typedTemplate, urlTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { isList } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { isUrlFromData } from './url-field.ts';

interface UrlFields {
  readonly url: string;
  readonly path?: string | undefined;
}

/** Throws `http.bad_url` or `expression.missing`. */
export function prepareUrl({ url, path }: UrlFields): (at: RenderAt) => Promise<URL> {
  const isData = isUrlFromData(url);
  const render = isData ? typedTemplate(url) : urlTemplate(url);
  const renderPath = path === undefined ? undefined : pathTemplate(path);
  return async (at) => {
    const value = await render(at);
    const target = parseUrl(isData ? requireText(value, url) : asText(value));
    if (renderPath) appendPath(target, asText(await renderPath(at)));
    return target;
  };
}

function requireText(value: Json, source: string): string {
  if (value === null || value === '')
    throw new NodeError('expression.missing', `url: ${source} has no value.`);
  if (typeof value === 'string') return value;
  throw new NodeError('http.bad_url', 'url: expected a URL as text.');
}

/**
 * `.` and `..` are resolved before a request is sent; they are refused, so that a value cannot leave the path
 * that the flow's author wrote.
 */
function parseUrl(text: string): URL {
  const url = isWrittenAsUrl(text) ? URL.parse(text) : null;
  const path = text.split('?', 1)[0] ?? '';
  if (url && !path.split(/[/\\]/).some(isDots)) return url;
  throw new NodeError(
    'http.bad_url',
    'url: expected a valid URL without "." and ".." segments once its values are filled in.',
  );
}

const isDots = (segment: string) => /^(\.|%2e){1,2}$/i.test(segment);

/** A slash at its beginning is that between the two; at its end it stays. */
function appendPath(url: URL, path: string): void {
  const segments = path.replace(/^\//, '').split('/');
  if (segments.some((segment, index) => isDots(segment) || (segment === '' && index < segments.length - 1))) {
    throw new NodeError(
      'http.bad_url',
      'path: expected segments that are not empty, "." or ".." once its values are filled in.',
    );
  }
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${segments.join('/')}`;
}

/** A missing value omits the parameter; a list repeats it. */
export function addQuery(url: URL, query: Json): string {
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of isList(value) ? value : [value]) {
      if (one !== null) url.searchParams.append(name, asText(one));
    }
  }
  return url.href;
}
