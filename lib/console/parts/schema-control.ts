// Which control fits a JSON Schema: shared by the form of a node and that of an answer. Pure.

interface Described {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
}

/** Longer texts than this are not typed into one line. */
const lineMax = 256;

export const isLongText = ({ maxLength = Number.POSITIVE_INFINITY }: Described): boolean =>
  maxLength > lineMax;

export const listOptions = ({ enum: values = [], type }: Described): readonly (string | boolean)[] =>
  type === 'boolean' ? [true, false] : values.filter((each) => typeof each === 'string');
