// Reads a part of a flow by its schema, and lists a mistake for each issue, each with its pointer.
import type * as z from 'zod';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { addMistake } from '#lib/mistakes.ts';
import { type DescribedIssue, describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { keepsShape } from '../format/notes.ts';
import { type CheckState, findNearName } from './check-budget.ts';
import type { Path } from './mistake.ts';

/** Returns undefined if the value does not have the shape that the schema describes. */
export function readShape<T extends object>(
  schema: z.ZodType<T>,
  value: unknown,
  path: Path,
  check: CheckState,
): T | undefined {
  const result = boundedParse(schema, value, describeIssue);
  if (result.success) return result.data;
  for (const issue of describeIssues(result.issues))
    addMistake(check.mistakes, [...path, ...issue.path], describeWithNearName(issue, check));
  return hasShape<T>(value, result.issues) ? value : undefined;
}

function describeWithNearName({ path, detail, fields = [] }: DescribedIssue, check: CheckState): string {
  const near = fields.length > 0 ? findNearName(check, String(path.at(-1)), fields) : undefined;
  return near === undefined ? detail : detail.replace('expected', `did you mean "${near}"? Expected`);
}

/**
 * No schema of the format changes a value. So a value whose only mistakes are in how its fields go together is what
 * the schema would return.
 */
const hasShape = <T>(_value: unknown, issues: readonly z.core.$ZodIssue[]): _value is T =>
  issues.every(keepsShape);
