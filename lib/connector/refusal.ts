// Refusals of the A2A server and of the service as texts for a model.
import type { A2ARefusal } from '#lib/a2a/errors.ts';
import type { ServiceError } from '#lib/errors.ts';

/** Without the pointers, which are those of A2A: the caller has sent only a text. */
export function explainRefusal({ reason, message, violations }: A2ARefusal): string {
  if (violations.length === 0) return message;
  const details = violations.map(({ detail }) => explainDetail(detail)).join(' ');
  return reason === 'INVALID_PARAMS' ? details : `${message} ${details}`;
}

/** Some begin with what is wrong in a value of several members. */
const explainDetail = (detail: string): string =>
  detail.startsWith('must ')
    ? `The message ${detail}.`
    : `The message does not fit: ${detail.replace(/^the value: /, '')}.`;

/** The names of arguments are those of parameters of the REST API, at which the pointers end. */
export const explainParameters = ({ errors = [] }: Pick<ServiceError, 'errors'>): readonly string[] =>
  errors.map(({ pointer, detail }) => `- ${pointer.slice(pointer.lastIndexOf('/') + 1)}: ${detail}`);
