// Measures, wraps and escapes the text of a drawing.
import { escapeMarkup } from '#lib/escape-markup.ts';

/** For SVG. Format characters, which hide or reorder text, become U+FFFD too. */
export const escapeText = (text: string): string => escapeMarkup(text.replace(/\p{Cf}/gu, '\u{fffd}'));

export interface Font {
  readonly size: number;
  readonly isBold?: boolean;
}

/** The approximate maximum width in pixels. It is estimated, because no font is available here. */
export function measureText(text: string, font: Font): number {
  return Math.ceil([...text].reduce((sum, char) => sum + charWidth(char, font), 0));
}

/** Characters of wide scripts are about twice as wide. */
function charWidth(char: string, { size, isBold = false }: Font): number {
  const ems = char > '\u{10ff}' ? 1.05 : /[MWmw@%]/.test(char) ? 0.9 : 0.58;
  return ems * size * (isBold ? 1.1 : 1);
}

/**
 * Breaks lines at spaces, or else after punctuation. If the last line is too long, it is cut and ends with an
 * ellipsis.
 */
export function wrapText(text: string, font: Font, width: number, linesMax: number): string[] {
  const lines: string[] = [];
  let rest = text.replace(/\s+/g, ' ').trim();
  while (rest !== '') {
    const fitting = takeFitting(rest, font, width);
    if (fitting === rest) return [...lines, rest];
    if (lines.length === linesMax - 1) return [...lines, `${[...fitting].slice(0, -1).join('').trimEnd()}…`];
    const line =
      rest[fitting.length] === ' '
        ? fitting
        : (lineBreaks.map((pattern) => pattern.exec(fitting)?.[0]).find(Boolean) ?? fitting);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** Matches up to the last space, and up to the last punctuation. */
const lineBreaks = [/^.* /u, /^.*[.,()[\]/_-]/u];

/** The beginning that fits: at least one character, so that `wrapText` terminates. */
function takeFitting(text: string, font: Font, width: number): string {
  let left = width;
  let part = '';
  for (const char of text) {
    left -= charWidth(char, font);
    if (left < 0 && part !== '') break;
    part += char;
  }
  return part;
}
