// Cuts texts to a length. A cut never leaves half of a surrogate pair: such a text is no Unicode, and
// DynamoDB, SQS and many JSON parsers refuse it.
import { jsonBytes } from '#lib/json/size.ts';

/** At most `length` UTF-16 units: the beginning of the text. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/**
 * At most `bytes` of JSON, quotes included, and always Unicode. An ellipsis replaces what was cut.
 */
export function truncateToJsonBytes(text: string, bytes: number): string {
  if (text.length <= bytes && jsonBytes(text) <= bytes) return text.toWellFormed();
  // Every unit takes a byte at least, and no more than six (an escape), so this ends after a few rounds.
  for (let length = bytes - ellipsisBytes; ; length = Math.floor(length * 0.75)) {
    const cut = truncate(text, length).toWellFormed();
    if (length === 0 || jsonBytes(cut) <= bytes - ellipsisBytes) return `${cut}…`;
  }
}

/** At most `max` bytes of UTF-8. An ellipsis, which counts, replaces what was cut. */
export function truncateToBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text.toWellFormed();
  const { read } = encoder.encodeInto(text, new Uint8Array(max - ellipsisBytes));
  return `${text.slice(0, read).toWellFormed()}…`;
}

const encoder = new TextEncoder();
const ellipsisBytes = encoder.encode('…').length;
