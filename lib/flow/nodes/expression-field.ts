// A text that is exactly one expression, so that it keeps the type of its value. Shared by the fields that want a list, a number, a condition, …
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { narrowed } from '../format/notes.ts';
import { wholeExpression } from '../format/template-segments.ts';

export const oneExpression = (detail: string) =>
  narrowed(z.string(), isOneExpression, detail, { pattern: expressionText.pattern });

/** In the published schema. */
export const expressionText = { type: 'string', pattern: '^\\s*\\{\\{[\\s\\S]*\\}\\}\\s*$' } as const;

/** What is wrong inside the braces is told by whoever reads the expressions. */
export function isOneExpression(value: Json): boolean {
  if (typeof value !== 'string') return false;
  try {
    return wholeExpression(value) !== undefined;
  } catch {
    return true;
  }
}
