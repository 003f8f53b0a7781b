// Options that several commands have, and the parsing of their values.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { entryFault } from '#lib/egress/egress-policy.ts';
import type { Json } from '#lib/json/json.ts';

export const jsonOption = ['--json', 'print one JSON document to stdout instead of text'] as const;

export const flowArgument = [
  '<file>',
  'a flow: JSON, JSON with comments (.jsonc), YAML (.yaml, .yml), a program that exports a flow of the builder (.ts, .js); ' +
    'or the file or folder of an agent (agent.yaml)',
] as const;

export const profileOption = ['-p, --profile <name>', 'the service of this profile'] as const;
export const workspaceOption = [
  '--workspace <id>',
  'the workspace, if the profile names another or none',
] as const;
export const buildArgument = [
  '<build>',
  'a build: its id (reg_…), or flow@3 by its number, flow@live, flow@latest',
] as const;

export type Pairs = Readonly<Record<string, Json>>;

/** Collects `name=text` and `name:=json`. If a name is repeated, the last value counts. */
export function collectPair(given: string, before: Pairs = {}): Pairs {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(given);
  const [, name, sign, value] = match ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Expected name=text or name:=json.');
  return { ...before, [name]: sign === '=' ? value : parseValue(name, value) };
}

function parseValue(name: string, value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    throw new InvalidArgumentError(`${name}: expected JSON after ":=", got ${value}`);
  }
}

/** Collects an option that can be repeated. */
export const collect = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given,
];

export function collectHost(given: string, before: readonly string[] = []): readonly string[] {
  const fault = entryFault(given);
  if (fault) throw new InvalidArgumentError(`"${given}" ${fault}`);
  return [...before, given];
}

/** A number of things, at least one. */
export function count(given: string): number {
  if (!/^[1-9]\d{0,5}$/.test(given)) throw new InvalidArgumentError('Expected a number, at least 1.');
  return Number(given);
}

export function time(given: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(given) || Number.isNaN(Date.parse(given)))
    throw new InvalidArgumentError('Expected a time such as 2027-01-31T00:00:00Z.');
  return given;
}

/** A day in UTC, as the API takes it. */
export function day(given: string): string {
  const start = /^\d{4}-\d\d-\d\d$/.test(given) ? new Date(`${given}T00:00:00Z`) : undefined;
  // JavaScript takes the 30th of February as a day of March.
  const isDay = start && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(given);
  if (!isDay) throw new InvalidArgumentError('Expected a day such as 2027-01-31.');
  return given;
}

/** US dollars, in whole cents. */
export function dollars(given: string): number {
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(given))
    throw new InvalidArgumentError('Expected US dollars such as 250 or 0.50.');
  return Number(given);
}

export function percent(given: string): number {
  if (!/^([1-9]\d?|100)$/.test(given)) throw new InvalidArgumentError('Expected a percentage, 1 to 100.');
  return Number(given);
}
