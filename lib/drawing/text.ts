// Text in a drawing: broken into lines that fit, and written so that nothing in it can be read as markup.

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

export interface Font {
  readonly size: number;
  readonly isBold?: boolean;
}

/** Pixels that a line takes at most, more or less: no font is at hand to measure with. */
export function widthOf(text: string, font: Font): number {
  return Math.ceil([...text].reduce((sum, char) => sum + charWidth(char, font), 0));
}

/** Wide scripts take about twice the room. */
function charWidth(char: string, { size, isBold = false }: Font): number {
  const ems = char > '\u{10ff}' ? 1.05 : /[MWmw@%]/.test(char) ? 0.9 : 0.58;
  return ems * size * (isBold ? 1.1 : 1);
}

/** Broken at spaces, or else after punctuation; what does not fit into the last line is left out, and says so. */
export function wrapped(text: string, font: Font, width: number, linesMax: number): string[] {
  const lines: string[] = [];
  let rest = text.replace(/\s+/g, ' ').trim();
  while (rest !== '') {
    const fitting = fittingPart(rest, font, width);
    if (fitting === rest) return [...lines, rest];
    if (lines.length === linesMax - 1) return [...lines, `${[...fitting].slice(0, -1).join('').trimEnd()}…`];
    const line =
      rest[fitting.length] === ' '
        ? fitting
        : (brokenAt.map((at) => at.exec(fitting)?.[0]).find(Boolean) ?? fitting);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** Up to the last space; up to the last punctuation. */
const brokenAt = [/^.* /u, /^.*[.,()[\]/_-]/u];

/** At least one character, so that there is an end. */
function fittingPart(text: string, font: Font, width: number): string {
  let left = width;
  let part = '';
  for (const char of text) {
    left -= charWidth(char, font);
    if (left < 0 && part !== '') break;
    part += char;
  }
  return part;
}
