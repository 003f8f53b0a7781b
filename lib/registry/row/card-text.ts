// The texts of an Agent Card that a client describes.
import * as z from 'zod';

/**
 * Shown to people and to models, so without characters that hide or reorder text. Line breaks, tabs and the
 * joiners of scripts and emoji are fine.
 */
const invisible = /(?![\n\t\u200c]|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
export const cardText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(
      (value) => !invisible.test(value),
      'must not contain control, bidirectional or invisible characters',
    );
