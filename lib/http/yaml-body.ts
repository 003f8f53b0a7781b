// Reads a request body that is YAML. Only the functions that register flows load this file.
import { ServiceError } from '#lib/errors.ts';
import { parsePointer } from '#lib/json/pointer.ts';
import type { Locate, Position } from '#lib/json/position.ts';
import { readYaml } from '#lib/yaml/read-yaml.ts';

export interface YamlBody {
  readonly value: unknown;
  /** Adds positions to the mistakes in the body. */
  readonly withPositions: (error: ServiceError) => ServiceError;
}

export function readYamlBody(text: string): YamlBody {
  const read = readYaml(text);
  if (read.isYaml) return { value: read.value, withPositions: (error) => addPositions(error, read.locate) };
  const { reason, position } = read;
  throw new ServiceError('malformed_yaml', {
    detail: `The body cannot be read as YAML: line ${position.line}, column ${position.column}: ${reason}.`,
    errors: [{ pointer: '/body', detail: reason, ...position }],
  });
}

function addPositions(error: ServiceError, locate: Locate): ServiceError {
  const { code, errors, errorsTotal, detail, cause, workspaceid } = error;
  if (!errors) return error;
  return new ServiceError(code, {
    errors: errors.map((mistake) => ({ ...mistake, ...findPosition(mistake.pointer, locate) })),
    ...(errorsTotal !== undefined && { errorsTotal }),
    ...(detail !== undefined && { detail }),
    cause,
    workspaceid,
  });
}

function findPosition(pointer: string, locate: Locate): Position | undefined {
  const [part, ...path] = parsePointer(pointer);
  return part === 'body' ? locate(path) : undefined;
}
