// Text in a drawing: shortened to fit, and written so that nothing in it can be read as markup.

/** What XML 1.0 cannot hold, and what hides or reorders text. */
const unwritable = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]|\p{Cf}/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, '\u{fffd}')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char);

/** One line of at most so many characters. */
export function shortened(text: string, charsMax: number): string {
  const chars = [...text.replace(/\s+/g, ' ').trim()];
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : chars.join('');
}

/** Pixels that a line takes at most, more or less: no font is at hand to measure with. Wide scripts take about twice the room. */
export function widthOf(text: string, fontSize: number): number {
  const ems = [...text].map((char) => (char > '\u{10ff}' ? 1.05 : /[MWmw@%]/.test(char) ? 0.9 : 0.58));
  return Math.ceil(ems.reduce((sum, em) => sum + em, 0) * fontSize);
}
