// Counts in templates. A value that is known at deployment only counts as much as a long one would.
import type { Template } from './template.ts';

/** One template of a deployment: that of a stack, or of a stack nested in it. */
export interface Part {
  readonly file: string;
  readonly bytes: number;
  readonly template: Template;
}

export interface Count {
  /** Where: a template, and maybe a resource in it. */
  readonly at: string;
  readonly used: number;
}

type Resource = Template['Resources'][string];

export const count = (members: unknown): number => Object.keys(Object(members)).length;
export const amountOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const eachOf = ({ template }: Part, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

/** The value at a path such as `Environment.Variables`; undefined where it leads nowhere. */
export const propertyOf = (properties: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      properties,
    );

/** The names and values of variables. */
export const sizeOf = (variables: unknown): number =>
  Object.entries(Object(variables)).reduce(
    (sum, [name, value]) => sum + name.length + resolved(value).length,
    0,
  );

/** IAM does not count white space. */
export const charactersOf = (policies: unknown, document: string): number =>
  [policies ?? []]
    .flat()
    .reduce<number>(
      (sum, policy) =>
        sum + JSON.stringify(readable(propertyOf(policy, document))).replaceAll(' ', '').length,
      0,
    );

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-southeast-1',
  'AWS::AccountId': '111122223333',
  'AWS::URLSuffix': 'amazonaws.com.cn',
};

/** About an ARN with the name of a resource, which begins with that of its stack. */
const longValue = 'x'.repeat(120);

function resolved(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const [parts = undefined] = [propertyOf(value, 'Fn::Join.1')];
  if (Array.isArray(parts)) return parts.map(resolved).join('');
  return pseudoParameters[String(propertyOf(value, 'Ref'))] ?? longValue;
}

/** The value as it is after the deployment. */
function readable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(readable);
  const [first = ''] = Object.keys(value);
  if (first === 'Ref' || first.startsWith('Fn::')) return resolved(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, readable(member)]));
}
