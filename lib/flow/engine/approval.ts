// The answer to an approval: one of two words, or an object that may change the arguments of the tool or give a reason.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Compute } from '../expression/compute.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import type { InputRequest } from './pause.ts';

export interface Approval {
  readonly approved: boolean;
  /** In place of those that the model wrote. */
  readonly arguments?: JsonObject;
  readonly reason?: string;
}

const approve = 'approve';
export const approvalChoices: readonly string[] = [approve, 'deny'];

/**
 * JSON Schema of the answer in its form as an object. The arguments can be changed if their own schema is small:
 * all open questions of a run are one item of a table.
 */
export function approvalSchema(parameters?: JsonObject): JsonObject {
  const { $defs, ...own } = parameters && isEmbeddable(parameters) ? parameters : {};
  const isEditable = Object.keys(own).length > 0;
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean', description: 'Whether the tool may be used.' },
      ...(isEditable && { arguments: own }),
      reason: { type: 'string', maxLength: limits.approvalReasonChars },
    },
    required: ['approved'],
    additionalProperties: false,
    ...(isEditable && $defs !== undefined && { $defs }),
  };
}

/** A reference to the root of the schema would refer to the answer instead of the arguments. */
const isEmbeddable = (parameters: JsonObject): boolean =>
  jsonBytes(parameters, limits.editableSchemaBytes) <= limits.editableSchemaBytes &&
  !/"\$ref":"#"/.test(JSON.stringify(parameters));

/** Describes why the answer does not fit; undefined if it does. */
export async function findApprovalFault(
  { schema, choices = approvalChoices }: Pick<InputRequest, 'schema' | 'choices'>,
  value: Json,
  compute: Compute | undefined,
): Promise<string | undefined> {
  if (choices.some((choice) => choice === value)) return undefined;
  if (!isObject(value)) return `expected one of ${choices.join(', ')}, or an object with "approved"`;
  const faults = await findValueFaults(schema ?? approvalSchema(), value, compute);
  if (faults.length > 0) return faults.join('; ');
  const { approved, arguments: edited } = value;
  if (edited === undefined) return undefined;
  if (approved !== true) return '/arguments: expected no arguments unless "approved" is true';
  return jsonBytes(edited, limits.toolArgumentsBytes) > limits.toolArgumentsBytes
    ? `/arguments: expected at most ${limits.toolArgumentsBytes} bytes of JSON`
    : undefined;
}

/** The answer must fit. */
export function readApproval(value: Json): Approval {
  if (!isObject(value)) return { approved: value === approve };
  const { approved, arguments: edited, reason } = value;
  return {
    approved: approved === true,
    ...(isObject(edited) && { arguments: edited }),
    ...(typeof reason === 'string' && reason !== '' && { reason }),
  };
}
