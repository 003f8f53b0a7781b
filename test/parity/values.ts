// Items, conditions and changes of the kinds that our stores use, on so few keys that commands meet.
import fc from 'fast-check';

export const table = 'parity';
export const indexName = 'gsi1';

/** In the form of the wire. */
export type Value = Readonly<Record<string, unknown>>;
export type Item = Readonly<Record<string, Value>>;

export interface Expression {
  readonly text: string;
  readonly values?: Item;
}

const text = (value: string): Value => ({ S: value });
const number = (value: number): Value => ({ N: String(value) });

/** Each history has partitions of its own: `at` is its name. */
export type Key = (at: string) => Item;
const partitions = ['a', 'b'] as const;
const sortKeys = ['HEAD', 'E#0001', 'E#0002', 'E#0003', 'F', 'SNAP'] as const;
const key = fc.tuple(fc.constantFrom(...partitions), fc.constantFrom(...sortKeys)).map(
  ([pk, sk]): Key =>
    (at) => ({ pk: text(`${at}#${pk}`), sk: text(sk) }),
);
/** Different ones, or sometimes the same twice, which AWS refuses. */
export const keys = fc.oneof(
  { weight: 9, arbitrary: fc.uniqueArray(key, { minLength: 1, maxLength: 4, selector: attributeName }) },
  { weight: 1, arbitrary: fc.array(key, { minLength: 2, maxLength: 4 }) },
);
export const oneKey = key;

function attributeName(one: Key): string {
  return JSON.stringify(one(''));
}

const words = fc.constantFrom('live', 'test', '', 'ä€𝄞', 'x'.repeat(300));
const numbers = fc.constantFrom(-1, 0, 1, 2, 1.5, 1e20, 1e-9);
/** Far off: the engines remove what is past when they like. */
const ttl = fc.constant(number(4_102_444_800));
const tags = fc.subarray(['red', 'green', 'blue'], { minLength: 1 }).map((some): Value => ({ SS: some }));

const attributes = fc.record(
  {
    version: numbers.map(number),
    status: words.map(text),
    tags,
    counts: fc.uniqueArray(numbers, { minLength: 1 }).map((some) => ({ NS: some.map(String) })),
    entries: fc.array(words.map(text), { maxLength: 3 }).map((some) => ({ L: some })),
    detail: fc.record({ note: words.map(text), n: numbers.map(number) }).map((some) => ({ M: some })),
    bytes: fc.uint8Array({ maxLength: 8 }).map((some) => ({ B: Buffer.from(some).toString('base64') })),
    isOver: fc.boolean().map((some) => ({ BOOL: some })),
    nothing: fc.constant({ NULL: true }),
    ttl,
  },
  { requiredKeys: [] },
);

/**
 * In the index or not; no two items have the same place in it, as none of ours have: AWS leaves open which of
 * them is first.
 */
const indexed = (at: string, of: Item): Item => ({
  gsi1pk: text(`${at}#index`),
  gsi1sk: text(`${of.sk?.S}#${of.pk?.S}`),
});

export const item = fc.record({ key, attributes, isIndexed: fc.boolean() }).map(
  ({ key: of, attributes: some, isIndexed }) =>
    (at: string): Item => ({
      ...of(at),
      ...some,
      ...(isIndexed && indexed(at, of(at))),
    }),
);

export const names = { '#status': 'status', '#ttl': 'ttl' } as const;

const conditionOn = (number1: number, word: string): Expression[] => [
  { text: 'attribute_not_exists(pk)' },
  { text: 'attribute_exists(pk) AND attribute_not_exists(lease)' },
  { text: 'version = :c', values: { ':c': number(number1) } },
  { text: 'attribute_not_exists(version) OR version < :c', values: { ':c': number(number1) } },
  { text: '#status <> :c', values: { ':c': text(word) } },
  { text: '#status IN (:c, :d)', values: { ':c': text(word), ':d': text('test') } },
  { text: 'version BETWEEN :c AND :d', values: { ':c': number(-1), ':d': number(number1) } },
  { text: 'begins_with(#status, :c)', values: { ':c': text('li') } },
  { text: 'contains(tags, :c)', values: { ':c': text('red') } },
  { text: 'size(entries) = :c', values: { ':c': number(number1) } },
  {
    text: 'NOT (detail.note = :c) AND attribute_type(detail, :d)',
    values: { ':c': text(word), ':d': text('M') },
  },
  { text: 'entries[0] = :c', values: { ':c': text(word) } },
  { text: 'version = :c', values: { ':c': text(word) } },
];

export const condition = fc
  .tuple(numbers, words)
  .chain(([some, word]) => fc.constantFrom(...conditionOn(some, word)));

/** That can always be worked out. */
const soundChanges = (some: number, word: string, at: string, of: Item): Expression[] => [
  { text: 'SET version = :u, #status = :v', values: { ':u': number(some), ':v': text(word) } },
  { text: 'SET first_seen = if_not_exists(first_seen, :u)', values: { ':u': text(word) } },
  { text: 'SET version = if_not_exists(version, :z) - :u', values: { ':u': number(some), ':z': number(0) } },
  { text: 'SET #ttl = :t ADD version :u', values: { ':t': number(4_102_444_800), ':u': number(some) } },
  { text: 'ADD tags :u', values: { ':u': { SS: ['red', 'grey'] } } },
  { text: 'DELETE tags :u', values: { ':u': { SS: ['red', 'green', 'blue'] } } },
  { text: 'REMOVE #status, entries SET version = :u', values: { ':u': number(some) } },
  {
    text: 'SET entries = list_append(if_not_exists(entries, :z), :u)',
    values: { ':z': { L: [] }, ':u': { L: [text(word)] } },
  },
  {
    text: 'SET gsi1pk = :u, gsi1sk = :v',
    values: { ':u': indexed(at, of).gsi1pk ?? {}, ':v': indexed(at, of).gsi1sk ?? {} },
  },
  { text: 'REMOVE gsi1pk, gsi1sk' },
];

/** And those that need what may not be there, or that are never allowed. */
const allChanges: typeof soundChanges = (some, word, at, of) => [
  ...soundChanges(some, word, at, of),
  { text: 'SET version = version + :u', values: { ':u': number(some) } },
  { text: 'SET pk = :u', values: { ':u': text(word) } },
];

export type Change = (at: string, of: Item) => Expression;
const pickChange = (table: typeof soundChanges) =>
  fc.tuple(numbers, words, fc.nat(table(0, '', '', {}).length - 1)).map(
    ([some, word, n]): Change =>
      (at, of) =>
        table(some, word, at, of)[n] ?? { text: '' },
  );
export const change = pickChange(allChanges);
export const soundChange = pickChange(soundChanges);
