// Sizes in a drawing, in pixels.
import type { Font } from './text.ts';

export const fonts = {
  name: { size: 16, isBold: true },
  heading: { size: 13, isBold: true },
  small: { size: 11 },
} as const satisfies Record<string, Font>;

export const sizes = {
  headingLine: 16,
  smallLine: 14,
  /** Padding of a box, left and right together. */
  boxSides: 36,
  boxWidthMin: 120,
  boxHeightMin: 48,
  textWidth: 250,
  headingLinesMax: 3,
  labelWidth: 190,
  labelLinesMax: 3,
  edgeTextsMax: 3,
  /** Distance between two lines that end at the same box. */
  lineGap: 10,
  /** Padding of a block above its nodes, where its name is. */
  blockTop: 28,
  gap: 14,
  margin: 16,
  dot: 8,
} as const;
