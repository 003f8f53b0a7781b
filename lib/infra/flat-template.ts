// Merges the stacks of a tenant into one template for the local host, `sam local` and tests. Parameters, outputs and
// exports that CloudFormation passes between stacks are replaced by their values. Logical ids
// do not change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { storageStackName, tenantStackName } from './stack-names.ts';
import { type Template, template } from './template.ts';

type Resource = Template['Resources'][string];
/** For the JSON of a reference, the value that replaces it. */
type Values = ReadonlyMap<string, unknown>;

/** Its template is an asset, in a file of the same folder. */
export const nestedStack = z.looseObject({
  Properties: z.looseObject({ Parameters: z.record(z.string(), z.unknown()).default({}) }),
  Metadata: z.looseObject({ 'aws:asset:path': z.string() }),
});
/** Strict, because sections that are not merged would be lost silently. */
const nestedTemplate = z.strictObject({
  ...template.shape,
  Description: z.string().optional(),
  Parameters: z.record(z.string(), z.unknown()).optional(),
});

/** `folder` contains all synthesized templates. Storage in a stack of its own is merged too. */
export function flatTenantTemplate(folder: string, tenantId: string): Template {
  const own = flatTemplate(folder, fileOf(tenantStackName(tenantId)));
  // A file may remain from a synthesis with other settings.
  if (!JSON.stringify(own).includes(`"Fn::ImportValue":"${storageStackName(tenantId)}:`)) return own;
  const storage = template.parse(readJson(folder, fileOf(storageStackName(tenantId))));
  const { Outputs = {} } = storage;
  const exports = Object.values(Outputs).flatMap(({ Export, Value }) =>
    Export ? [[JSON.stringify({ 'Fn::ImportValue': Export.Name }), Value] as const] : [],
  );
  const plainOutputs = Object.entries(Outputs).filter(([, { Export }]) => !Export);
  const merged = {
    ...own,
    Resources: { ...storage.Resources, ...own.Resources },
    Outputs: { ...own.Outputs, ...Object.fromEntries(plainOutputs) },
  };
  return template.parse(replaced(merged, new Map(exports)));
}

const fileOf = (stackName: string): string => `${stackName}.template.json`;

/** `folder` contains all synthesized templates; `file` is that of the outer stack. */
export function flatTemplate(folder: string, file: string): Template {
  const outer = template.parse(readJson(folder, file));
  const parts = Object.entries(outer.Resources).map(([id, resource]) =>
    isNestedStack(resource)
      ? inlined(id, resource, folder)
      : { resources: [[id, resource] as const], outputs: [] },
  );
  const outputs = new Map(parts.flatMap((part) => part.outputs));
  const nested = Object.keys(outer.Resources).filter((id) => isNestedStack(outer.Resources[id]));
  const resources = parts
    .flatMap((part) => part.resources)
    .map(([id, resource]) => [id, withoutDependencies(resource, nested)] as const);
  const flat = { ...outer, Resources: byUniqueId(resources, file) };
  return template.parse(replaced(flat, outputs));
}

const isNestedStack = (resource: Resource | undefined): boolean =>
  resource?.Type === 'AWS::CloudFormation::Stack';

/** There are no nested stacks to wait for: a reference to what was an output waits for the resource itself. */
function withoutDependencies({ DependsOn, ...resource }: Resource, nested: readonly string[]): Resource {
  const awaited = [DependsOn ?? []].flat().filter((id) => !nested.includes(id));
  return awaited.length > 0 ? { ...resource, DependsOn: awaited } : resource;
}

function inlined(id: string, stack: Resource, folder: string) {
  const { Properties, Metadata } = nestedStack.parse(stack);
  const file = Metadata['aws:asset:path'];
  const inner = nestedTemplate.parse(flatTemplate(folder, file));
  const parameters = Object.entries(Properties.Parameters);
  const values = new Map(parameters.map(([name, value]) => [JSON.stringify({ Ref: name }), value]));
  const { Resources, Outputs = {} } = template.parse(replaced(inner, values));
  return {
    resources: Object.entries(Resources).map(([name, resource]) => [name, after(resource, stack)] as const),
    outputs: Object.entries(Outputs).map(
      ([name, { Value }]) => [JSON.stringify({ 'Fn::GetAtt': [id, `Outputs.${name}`] }), Value] as const,
    ),
  };
}

/** The dependencies of a nested stack apply to all of its resources. */
function after(resource: Resource, stack: Resource): Resource {
  const awaited = [...[resource.DependsOn ?? []].flat(), ...[stack.DependsOn ?? []].flat()];
  return awaited.length > 0 ? { ...resource, DependsOn: awaited } : resource;
}

function byUniqueId(resources: readonly (readonly [string, Resource])[], file: string) {
  const byId = Object.fromEntries(resources);
  if (Object.keys(byId).length === resources.length) return byId;
  const twice = resources.find(([id], index) => resources.findIndex(([other]) => other === id) < index);
  throw new Error(`${file} and the stacks nested in it have two resources with the id ${twice?.[0]}.`);
}

/**
 * Replacements are resolved again: an output can refer to a parameter, and that to an output of another
 * stack.
 */
function replaced(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, values));
  if (typeof value !== 'object' || value === null) return value;
  const isReference = 'Ref' in value || 'Fn::GetAtt' in value || 'Fn::ImportValue' in value;
  const found = isReference ? values.get(JSON.stringify(value)) : undefined;
  if (found !== undefined) return replaced(found, values);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, values)]));
}

function readJson(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}
