// Rules of the format that the type of a field does not express: which fields belong together, and which
// texts are valid. Each rule is declared once, next to its schema; the check applies it, and the published
// schema contains it. Functions that execute flows bundle this file without using it, so anything that only
// the published schema needs is in `published/`.
import * as z from 'zod';

/** What the published schema adds to the output of zod: names under `$defs`, rules, and keywords. */
export const notes = z.registry<Note>();
type Note = Readonly<Record<string, unknown>>;

/** Gives a schema its name in the published schema. */
export const named = <S extends z.ZodType>(id: string, schema: S, more: Note = {}): S =>
  noted(schema, { id, ...more });

export const noted = <S extends z.ZodType>(schema: S, note: Note): S => {
  notes.add(schema, note);
  return schema;
};

export interface FieldRule {
  readonly kind: 'exactlyOne' | 'atLeastOne' | 'needs' | 'apart';
  readonly names: readonly string[];
  /**
   * For `apart`: the values that the named field must not have. For `needs`: those with which it needs the other
   * one. Defaults to all values.
   */
  readonly values?: Readonly<Record<string, readonly (string | boolean)[]>>;
  readonly detail: string;
  /** The path at which a violation is reported, relative to the object. */
  readonly at: readonly string[];
}

/** An object whose fields depend on each other. */
export const ruled = <S extends z.ZodObject>(schema: S, rules: readonly FieldRule[], id?: string): S =>
  noted(
    schema.superRefine((fields: Fields, context) => {
      for (const { at, detail } of brokenRules(fields, rules))
        context.addIssue({ code: 'custom', params: keeping, path: [...at], message: detail });
    }),
    { ...(id !== undefined && { id }), rules },
  );

export const brokenRules = (fields: Fields, rules: readonly FieldRule[]): readonly FieldRule[] =>
  rules.filter((rule) => !isKept[rule.kind](fields, rule));

/**
 * A value with a further condition. The keywords of the published schema may accept more values than
 * `isFine`, never fewer.
 */
export const narrowed = <S extends z.ZodType>(
  schema: S,
  isFine: (value: z.output<S>) => boolean,
  detail: string,
  keywords: Note,
): S =>
  noted(schema.refine(isFine, { error: detail, params: keeping }), { ...keywords, errorMessage: detail });

const keeping = { keepsShape: true };

/** Whether the value has its shape in spite of the issue, so that its other mistakes can be reported too. */
export const keepsShape = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params?.keepsShape === true;

type Fields = Readonly<Record<string, unknown>>;

const isKept: Readonly<Record<FieldRule['kind'], (fields: Fields, rule: FieldRule) => boolean>> = {
  exactlyOne: (fields, { names }) => names.filter((name) => fields[name] !== undefined).length === 1,
  atLeastOne: (fields, { names }) => names.some((name) => fields[name] !== undefined),
  needs: (fields, { names: [field = '', other = ''], values }) =>
    fields[other] !== undefined ||
    (values?.[field] ? !values[field].some((one) => one === fields[field]) : fields[field] === undefined),
  apart: (fields, { names, values }) =>
    !names.every((name) => {
      const value = fields[name];
      return value !== undefined && (values?.[name]?.some((one) => one === value) ?? true);
    }),
};

export const exactlyOne = (
  first: string,
  second: string,
  detail = `expected either \`${first}\` or \`${second}\``,
): FieldRule => ({ kind: 'exactlyOne', names: [first, second], detail, at: [] });

export const atLeastOne = (names: readonly string[], detail: string): FieldRule => ({
  ...{ kind: 'atLeastOne', names, detail, at: [] },
});

export const needs = (
  field: string,
  other: string,
  at: readonly string[],
  detail = `expected \`${other}\` together with \`${field}\``,
): FieldRule => ({ kind: 'needs', names: [field, other], detail, at });

/** With these values of the field the other one is needed, where it is reported. */
export const needsWhere = (
  field: string,
  values: readonly string[],
  other: string,
  detail: string,
): FieldRule => ({ kind: 'needs', names: [field, other], values: { [field]: values }, detail, at: [other] });

/** Not both fields, or not both if the other has one of these values. Reported at the first field. */
export const apart = (
  names: readonly [string, string],
  values: FieldRule['values'],
  detail: string,
): FieldRule => ({ kind: 'apart', names, ...(values && { values }), detail, at: [names[0]] });
