// HTML that is escaped by construction: the template tag `html` escapes every value, except HTML that it has made
// itself. Attributes of templates are always quoted, and URLs come from `linkTo`.
import { escapeMarkup } from '#lib/escape-markup.ts';

/** Only `html` makes one: a value from outside that has the same shape is still escaped. */
export interface Html {
  readonly markup: string;
}

type Content = string | number | Html | undefined | false | readonly Content[];

const made = new WeakSet<object>();

export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  const markup = parts.reduce((text, part, n) => `${text}${toMarkup(values[n - 1])}${part}`);
  const result = { markup };
  made.add(result);
  return result;
}

function toMarkup(value: Content): string {
  if (value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(toMarkup).join('');
  if (typeof value === 'object' && 'markup' in value && made.has(value)) return value.markup;
  return escapeMarkup(String(value));
}

/**
 * A text of somebody else within a sentence. Direction marks in it do not change the order of the words around it.
 */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`;

/** The address of a link. Anything but http and https would be run by a browser, or do nothing. */
export function linkTo(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.href;
  throw new Error('A link must be an http or https URL.');
}
