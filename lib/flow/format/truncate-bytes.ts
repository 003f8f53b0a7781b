// Cuts a text to a length, never through a character.

/** At most so many bytes of UTF-8, the ellipsis in place of the rest included. */
export function truncateToBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text.toWellFormed();
  const { read } = encoder.encodeInto(text, new Uint8Array(max - ellipsisBytes));
  return `${text.slice(0, read).toWellFormed()}${ellipsis}`;
}

const encoder = new TextEncoder();
const ellipsis = '…';
const ellipsisBytes = Buffer.byteLength(ellipsis);
