// Typed expressions: paths into what a run knows, and expressions that are written as text. They print themselves as
// templates, `{{ … }}`, wherever they become text or JSON.

/** The text between the braces. */
const source: unique symbol = Symbol('source');
declare const type: unique symbol;

/** An expression whose value has the type `T`. In text, such as `${order.output.body.id}`, it is its template. */
export interface Expression<out T = unknown> {
  readonly [source]: string;
  /** Only for the compiler. */
  readonly [type]?: T;
}

/** An expression that names a value: its members are paths, too. Members of a value of unknown type are unknown. */
export type Path<T = unknown> = Expression<T> & Members<T>;

type Members<T> = unknown extends T
  ? { readonly [name: string | number]: Path }
  : [NonNullable<T>] extends [never]
    ? unknown
    : MembersOf<NonNullable<T>>;

type MembersOf<T> = T extends readonly (infer Item)[]
  ? { /** As in JSONata: 0 is the first item, -1 the last. */ at(index: number): Path<Item> }
  : T extends object
    ? { readonly [Name in keyof T]-?: Path<Exclude<T[Name], undefined>> }
    : unknown;

export const isExpression = (value: unknown): value is Expression =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && source in value;

/** The path that the text names; `nodes.order` has the members `nodes.order.body` and so on. */
export const path = <T>(text: string): Path<T> => pathOver({}, text);

/** The proxy has every member that the type has. */
const pathOver = <T>(target: object, text: string): Path<T> =>
  new Proxy(target, {
    has: (_target, name) => name === source,
    get: (_target, name) => readMember(text, name),
  }) as Path<T>;

function readMember(text: string, name: string | symbol): unknown {
  if (name === source) return text;
  if (name === Symbol.toPrimitive || name === 'toJSON') return () => template(text);
  if (typeof name === 'symbol') return undefined;
  // Of a list it is called; of an object it is a member like any other.
  const target = name === 'at' ? (index: number) => path(`${text}[${index}]`) : {};
  return pathOver(target, text + step(name));
}

const step = (name: string): string => {
  if (/^\d+$/.test(name)) return `[${name}]`;
  return plainName.test(name) && !keywords.has(name) ? `.${name}` : `.\`${name}\``;
};

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Of JSONata. */
const keywords: ReadonlySet<string> = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

const template = (text: string): string => `{{ ${text} }}`;

/**
 * An expression in JSONata, such as expr`$count(${orders.output.body}) > 3`. Paths and other expressions in it are
 * inserted as they are, and any other value as a literal. `T` is the type of its value.
 */
export function expr<T = unknown>(texts: TemplateStringsArray, ...values: readonly unknown[]): Expression<T> {
  const text = texts.raw[0] + values.map((value, index) => toSource(value) + texts.raw[index + 1]).join('');
  const toJSON = () => template(text);
  const printed = { [source]: text, toJSON, [Symbol.toPrimitive]: toJSON };
  return printed;
}

function toSource(value: unknown): string {
  if (isExpression(value)) return value[source];
  // A node refuses to be text, and would be a literal otherwise.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, Symbol.toPrimitive))
    return String(value);
  return JSON.stringify(value);
}

/** The same path, whose value the author knows to have the type `T`: typed<Order>(order.output.body). */
export const typed = <T>(untyped: Expression): Path<T> => path(untyped[source]);
