// URLs of callers. A URL parser drops tabs and line breaks and trims spaces before it reads (WHATWG URL,
// section 4.4), so that what is stored would be something else than what was sent. Here they are refused.
import * as z from 'zod';

/**
 * No control character (C0, DEL, C1), and no space at either end. Its text is also the pattern of the OpenAPI
 * document, so it needs no flags. An empty text is left to the next rule, which has a better message.
 */
const control = '\\u0000-\\u001f\\u007f-\\u009f';
const written = new RegExp(`^([^\\s${control}]([^${control}]*[^\\s${control}])?)?$`);

/** Whether nothing is in the text that a URL parser would drop. */
export const isWrittenAsUrl = (text: string): boolean => written.test(text);

const notWrittenAsUrl = 'must have no line breaks or control characters, and no spaces around it';

interface UrlOptions {
  /** The scheme, without its colon. */
  readonly protocol?: RegExp;
  /** The message for any other text. */
  readonly error: string;
  /** Characters. */
  readonly max?: number;
}

/** The schema of every URL that a caller sends. It is kept as it was written. */
export const webUrl = ({ protocol, error, max }: UrlOptions) => {
  const text = z
    .string()
    .regex(written, { error: notWrittenAsUrl, abort: true })
    .refine((value) => isUrl(value, protocol), { error, abort: true })
    .meta({ format: 'uri' });
  return max === undefined ? text : text.max(max);
};

function isUrl(text: string, protocol: RegExp | undefined): boolean {
  const url = URL.parse(text);
  return url !== null && (protocol?.test(url.protocol.slice(0, -1)) ?? true);
}
