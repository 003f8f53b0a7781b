// `$base64encode` and `$base64decode` of text in UTF-8. Those of JSONata read and write Latin-1.
import { NodeError } from '../format/node-error.ts';

export const encodeBase64 = (text: unknown): unknown =>
  typeof text === 'string' ? Buffer.from(text, 'utf8').toString('base64') : text;

/** With or without padding, also in the alphabet for URLs. Throws for bytes that are not text. */
export function decodeBase64(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  const digits = text.replace(/\s/g, '');
  if (!isBase64.test(digits)) throw new NodeError('expression.error', '$base64decode: expected base64.');
  try {
    return utf8.decode(Buffer.from(digits, 'base64'));
  } catch (cause) {
    const message = '$base64decode: expected the base64 of a text in UTF-8.';
    throw new NodeError('expression.error', message, { cause });
  }
}

/** One digit alone has too few bits for a byte. */
const isBase64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
