// Resolves CloudFormation intrinsic functions in template values. `physical-names.ts` supplies the names of
// resources.
import * as z from 'zod';
import { accountId, partition, region, urlSuffix } from './account.ts';
import type { ReadTemplate, Resolve } from './template.ts';

export type Names = {
  readonly ref: (logicalId: string) => string | undefined;
  readonly attribute: (logicalId: string, name: string) => string | undefined;
  /** Applied to every string: replaces the deployed gateway address with the local one. */
  readonly localise: (text: string) => string;
};

type Scope = { readonly template: ReadTemplate; readonly names: Names; readonly where: string };

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': accountId,
  'AWS::Partition': partition,
  'AWS::Region': region,
  'AWS::URLSuffix': urlSuffix,
  'AWS::StackName': 'local',
  'AWS::StackId': `arn:${partition}:cloudformation:${region}:${accountId}:stack/local/0`,
};

const intrinsics: Readonly<Record<string, (argument: unknown, scope: Scope) => unknown>> = {
  Ref: (argument, scope) => ref(read(z.string(), argument, 'Ref', scope), scope),
  'Fn::GetAtt': (argument, scope) => {
    const parts = typeof argument === 'string' ? splitOnce(argument) : argument;
    const [logicalId, name] = read(z.tuple([z.string(), z.string()]), parts, 'Fn::GetAtt', scope);
    return attribute(logicalId, name, scope);
  },
  'Fn::Join': (argument, scope) => {
    const [separator, values] = read(z.tuple([z.string(), z.unknown()]), argument, 'Fn::Join', scope);
    return read(z.array(z.coerce.string()), walk(values, scope), 'Fn::Join', scope).join(separator);
  },
  'Fn::Split': (argument, scope) => {
    const [separator, text] = read(z.tuple([z.string(), z.unknown()]), argument, 'Fn::Split', scope);
    return read(z.string(), walk(text, scope), 'Fn::Split', scope).split(separator);
  },
  'Fn::Select': (argument, scope) => {
    const [index, values] = read(z.tuple([z.coerce.number(), z.unknown()]), argument, 'Fn::Select', scope);
    const value = read(z.array(z.unknown()), walk(values, scope), 'Fn::Select', scope)[index];
    if (value === undefined) throw unresolved('Fn::Select', scope, `there is no element ${index}`);
    return value;
  },
  'Fn::Sub': (argument, scope) => {
    const pair = typeof argument === 'string' ? [argument, {}] : argument;
    const shape = z.tuple([z.string(), z.record(z.string(), z.unknown())]);
    const [text, variables] = read(shape, pair, 'Fn::Sub', scope);
    return substitute(text, variables, scope);
  },
};

export function resolver(template: ReadTemplate, names: Names): Resolve {
  return (value, where) => walk(value, { template, names, where });
}

function walk(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return scope.names.localise(value);
  if (Array.isArray(value)) return value.map((item, index) => walk(item, within(scope, index)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (only && entries.length === 1 && isIntrinsic(only[0])) return apply(only[0], only[1], scope);
  return Object.fromEntries(entries.map(([key, item]) => [key, walk(item, within(scope, key))]));
}

const isIntrinsic = (key: string) => key === 'Ref' || key.startsWith('Fn::');

const within = (scope: Scope, key: string | number): Scope => ({ ...scope, where: `${scope.where}.${key}` });

function apply(name: string, argument: unknown, scope: Scope): unknown {
  const intrinsic = intrinsics[name];
  if (!intrinsic) throw unresolved(name, scope, `supported are ${Object.keys(intrinsics).join(', ')}`);
  const result = intrinsic(argument, scope);
  return typeof result === 'string' ? scope.names.localise(result) : result;
}

function ref(name: string, scope: Scope): unknown {
  const pseudo = pseudoParameters[name];
  if (pseudo !== undefined) return pseudo;
  const parameter = scope.template.Parameters[name];
  if (parameter?.Default !== undefined) return parameter.Default;
  if (parameter) throw unresolved('Ref', scope, `parameter "${name}" has no default`);
  const value = scope.names.ref(name);
  if (value === undefined) throw unresolved('Ref', scope, `there is no resource "${name}"`);
  return value;
}

function attribute(logicalId: string, name: string, scope: Scope): string {
  const value = scope.names.attribute(logicalId, name);
  const type = scope.template.Resources[logicalId]?.Type ?? 'no such resource';
  if (value === undefined)
    throw unresolved('Fn::GetAtt', scope, `"${logicalId}" (${type}) has no "${name}" here`);
  return value;
}

/** `${Name}`, `${Resource.Attribute}`, and `${!Literal}`, which stays as `${Literal}`. */
function substitute(text: string, variables: Readonly<Record<string, unknown>>, scope: Scope): string {
  return text.replace(/\$\{([^}]+)\}/g, (_whole, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    if (Object.hasOwn(variables, name)) return String(walk(variables[name], scope));
    const dot = name.indexOf('.');
    return String(dot < 0 ? ref(name, scope) : attribute(name.slice(0, dot), name.slice(dot + 1), scope));
  });
}

function splitOnce(text: string): [string, string] {
  const dot = text.indexOf('.');
  return [text.slice(0, dot), text.slice(dot + 1)];
}

function read<T>(schema: z.ZodType<T>, value: unknown, name: string, scope: Scope): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw unresolved(name, scope, `malformed argument ${JSON.stringify(value)}`);
  return parsed.data;
}

function unresolved(name: string, scope: Scope, reason: string): Error {
  return new Error(`Cannot resolve ${name} at ${scope.where}: ${reason}.`);
}
