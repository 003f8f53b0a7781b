// What the JSON Schema of flows allows at a place: the names of members, and values. Pure.

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** A step from the root: the name or index, and the `type` of the object that has it, such as that of a node. */
export interface Step {
  readonly name: string;
  readonly type: string | undefined;
}

export interface Key {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

/** `type` is that of the object itself. */
export function listKeys(root: Schema, path: readonly Step[], type: string | undefined): readonly Key[] {
  const keys = new Map<string, Key>();
  for (const { properties = {}, required = [] } of find(root, path).filter((each) => fits(each, type)))
    for (const [name, schema] of Object.entries(properties))
      if (!keys.has(name))
        keys.set(name, {
          name,
          description: schema.description ?? expand(root, schema)[0]?.description,
          isRequired: required.includes(name),
        });
  return [...keys.values()];
}

export function listValues(root: Schema, path: readonly Step[]): readonly unknown[] {
  // What is being typed as the type chooses no alternative yet.
  const open = path.map((step) => (step.name === 'type' ? { ...step, type: undefined } : step));
  const values = find(root, open).flatMap((each) => [
    ...(each.const === undefined ? [] : [each.const]),
    ...(each.enum ?? []),
    ...(each.type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(values)];
}

function find(root: Schema, path: readonly Step[]): readonly Schema[] {
  return path.reduce(
    (schemas, { name, type }) =>
      schemas
        .filter((each) => fits(each, type))
        .flatMap((each) => stepsOf(each, name))
        .flatMap((each) => expand(root, each)),
    expand(root, root),
  );
}

const stepsOf = ({ properties, additionalProperties, items }: Schema, name: string): readonly Schema[] => {
  const own = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined) ?? additionalProperties;
  return typeof own === 'object' ? [own] : [];
};

/** Which of the alternatives it is, such as which type of node. */
function fits({ properties }: Schema, type: string | undefined): boolean {
  const expected = properties?.type?.const;
  return expected === undefined || type === undefined || expected === type;
}

/** The schema with its alternatives, without references. Those of the schema are nested a few levels. */
function expand(root: Schema, schema: Schema, depth = 0): readonly Schema[] {
  if (depth > 8) return [];
  const { $ref, oneOf = [], anyOf = [], allOf = [] } = schema;
  const target = $ref && root.$defs?.[$ref.replace('#/$defs/', '')];
  const more = [...(target ? [target] : []), ...oneOf, ...anyOf, ...allOf];
  return [schema, ...more.flatMap((each) => expand(root, each, depth + 1))];
}
