// Leaves out of a template what `sam local` ignores. It warns of each such resource, more than a thousand lines for a tenant.
import * as z from 'zod';
import type { Template } from './template.ts';

/** What `sam local` reads: functions, and the API that leads to them. */
const read: ReadonlySet<string> = new Set([
  'AWS::Lambda::Function',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Stage',
]);

/** Properties of functions that refer to resources which are left out, and have no effect in a container. */
const withoutEffect = ['LoggingConfig', 'DeadLetterConfig'];
/** A function must have a role, or `sam validate --lint` reports an error; no role is assumed in a container. */
const noRole = { Role: 'arn:aws:iam::123456789012:role/not-assumed' };

export interface Reduced {
  readonly template: Template;
  /** How many resources of each type were left out. */
  readonly ignored: ReadonlyMap<string, number>;
}

export function leaveOutIgnored({ Resources }: Template): Reduced {
  const ignored = new Map<string, number>();
  const kept: Template['Resources'] = {};
  for (const [id, resource] of Object.entries(Resources)) {
    if (read.has(resource.Type)) kept[id] = resource;
    else ignored.set(resource.Type, (ignored.get(resource.Type) ?? 0) + 1);
  }
  const reduced = Object.entries(kept).map(([id, resource]) => [id, reduce(resource, kept)]);
  return { template: { Resources: Object.fromEntries(reduced) }, ignored };
}

type Resource = Template['Resources'][string];

function reduce({ Type, Properties = {}, Metadata = {} }: Resource, kept: Template['Resources']): Resource {
  // SAM derives names from the path of the construct, and warns of paths that it does not know.
  const { 'aws:cdk:path': _, ...metadata } = Metadata;
  const effective = Object.entries(Properties).filter(([name]) => !withoutEffect.includes(name));
  const resolve = (value: unknown) => resolveReferences(value, kept);
  return {
    Type,
    Properties: {
      ...Object.fromEntries(effective.map(([name, value]) => [name, resolve(value)])),
      ...('Role' in Properties && noRole),
    },
    Metadata: metadata,
  };
}

const reference = z.union([
  z.strictObject({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z
    .strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) })
    .transform((made) => made['Fn::GetAtt'][0]),
]);

/** A reference to what was left out becomes its logical id, as `sam local` resolves those to what it does not run. */
function resolveReferences(value: unknown, kept: Template['Resources']): unknown {
  if (Array.isArray(value)) return value.map((member) => resolveReferences(member, kept));
  if (typeof value !== 'object' || value === null) return value;
  const { data: id } = reference.safeParse(value);
  if (id !== undefined) return id in kept || id.startsWith('AWS::') ? value : id;
  const members = Object.entries(value).map(([name, member]) => [name, resolveReferences(member, kept)]);
  return Object.fromEntries(members);
}
