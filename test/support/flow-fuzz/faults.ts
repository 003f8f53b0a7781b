// What goes wrong outside of a generated flow: in each documented way, and the same in every process.
import { errorFamilies } from '#lib/flow/format/error-codes.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';

type Family = keyof typeof errorFamilies;

/** What the outside world of a run is: how often it fails, and how. */
export interface Weather {
  readonly salt: number;
  /** How many of ten calls fail. */
  readonly rate: number;
}

export const hash = (text: string, salt: number): number => {
  let value = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
};

const codes = (...families: readonly Family[]): readonly string[] =>
  families.flatMap((family) => errorFamilies[family].map((name) => `${family}.${name}`));

const connections = codes('connection', 'egress');

/** The errors that a port may throw, as `lib/flow/ports` says. */
export const portErrors = {
  http: [...connections, 'http.network', 'http.bad_json', 'file.unavailable', 'timeout'],
  model: [...codes('model'), 'timeout'],
  mcp: [...connections, ...codes('mcp'), 'timeout'],
  agent: [...connections, ...codes('a2a'), 'timeout'],
  discover: ['a2a.unavailable'],
  store: ['store.unavailable', 'timeout'],
  code: ['code.unavailable', 'timeout'],
  flows: ['flow.not_found', 'flow.gone', 'flow.limit', 'flow.unavailable', 'timeout'],
} as const;

export type PortName = keyof typeof portErrors;

export type Fault = 'none' | 'hang' | 'special' | { readonly code: string };

/** `special` is a failure that the port describes in an answer. */
export function findFault(port: PortName, call: string, { salt, rate }: Weather): Fault {
  const drawn = hash(`${port} ${call}`, salt);
  if (drawn % 10 >= rate) return 'none';
  const kind = (drawn >>> 8) % 8;
  if (kind === 0) return port === 'flows' ? { code: 'timeout' } : 'hang';
  if (kind < 4) return 'special';
  const errors = portErrors[port];
  return { code: errors[(drawn >>> 12) % errors.length] ?? 'timeout' };
}

const tokens = { input: 3, output: 2 };

/** A refused answer of a model has used tokens. */
export const toError = (code: string): NodeError =>
  new NodeError(code, `The outside failed with ${code}.`, {
    ...(code.startsWith('model.') && { tokens }),
    ...(code.endsWith('rate_limited') && { retryAfter: '2' }),
  });
