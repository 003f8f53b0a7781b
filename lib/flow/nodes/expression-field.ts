// A string that is exactly one expression, so that the value keeps its type. Shared by fields that take a
// list, a number, a condition and so on.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { narrowed } from '../format/notes.ts';
import { wholeExpression } from '../format/template-segments.ts';

export const oneExpression = (detail: string) =>
  narrowed(z.string(), isOneExpression, detail, { pattern: expressionText.pattern });

/** In the published schema. */
export const expressionText = { type: 'string', pattern: '^\\s*\\{\\{[\\s\\S]*\\}\\}\\s*$' } as const;

/** Mistakes inside the braces are reported by the check of expressions. */
export function isOneExpression(value: Json): boolean {
  if (typeof value !== 'string') return false;
  try {
    return wholeExpression(value) !== undefined;
  } catch {
    return true;
  }
}
