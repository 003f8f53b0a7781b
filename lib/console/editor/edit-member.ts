// Changes of the text of a flow, one member at a time: as small as the format allows, so that order, comments and
// layout of everything else stay. A change is made only if the text, read again, has exactly the new value. Pure.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json } from '#lib/json/json.ts';
import { isJsonText } from './flow-text.ts';
import { jsonFormat } from './json-format.ts';
import type { MemberPath, TextEdit, TextFormat } from './text-format.ts';

/** The package for YAML is loaded with the first text in YAML. */
export const loadFormat = async (text: string): Promise<TextFormat> =>
  isJsonText(text) ? jsonFormat : (await import('./yaml-format.ts')).yamlFormat;

export const applyEdit = (text: string, { from, to, insert }: TextEdit): string =>
  text.slice(0, from) + insert + text.slice(to);

/** Undefined if the text cannot be changed so, such as where an alias of YAML has the value of another place. */
export function setMember(
  format: TextFormat,
  text: string,
  path: MemberPath,
  value: Json,
  source = format.write(value),
): TextEdit | undefined {
  const before = format.read(text);
  const expected = before === undefined ? undefined : withMember(before, path, value);
  if (expected === undefined) return undefined;
  const sources = [source, format.write(value), JSON.stringify(value)];
  return findRight(format, text, expected, () => sources.flatMap((each) => format.place(text, path, each)));
}

export function removeMember(format: TextFormat, text: string, path: MemberPath): TextEdit | undefined {
  const before = format.read(text);
  const expected = before === undefined ? undefined : withMember(before, path, undefined);
  return expected === undefined
    ? undefined
    : findRight(format, text, expected, () => format.remove(text, path));
}

/** The first edit after which the text has the value. */
function findRight(
  { read }: TextFormat,
  text: string,
  expected: Json,
  listEdits: () => readonly TextEdit[],
): TextEdit | undefined {
  const wanted = JSON.stringify(expected);
  return listEdits().find((edit) => JSON.stringify(read(applyEdit(text, edit))) === wanted);
}

/** Undefined where there is no object that could have the member, or none to remove. */
function withMember(value: Json, [name, ...rest]: MemberPath, member: Json | undefined): Json | undefined {
  if (name === undefined) return member;
  if (!isObject(value)) return undefined;
  if (rest.length > 0) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    const changed = inner === undefined ? undefined : withMember(inner, rest, member);
    return changed === undefined ? undefined : { ...value, [name]: changed };
  }
  if (member !== undefined) return { ...value, [name]: member };
  if (!Object.hasOwn(value, name)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}
