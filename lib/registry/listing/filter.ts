// Which rows a list is about. Values of one filter are alternatives, filters combine; nothing here depends on where rows come from.
import * as z from 'zod';
import type { Status, Visibility } from '../row.ts';
import type { StoredRow } from '../stored.ts';

export interface Filters {
  readonly status?: readonly Status[] | undefined;
  readonly visibility?: readonly Visibility[] | undefined;
  /** Of the card or of a skill, in any case. */
  readonly tag?: readonly string[] | undefined;
  /** MIME types that the card, or a skill, takes and gives. */
  readonly input_mode?: readonly string[] | undefined;
  readonly output_mode?: readonly string[] | undefined;
  /** A part of the name, the description, a skill or a tag, in any case. */
  readonly q?: string | undefined;
}

/** A test of a row; undefined when there is nothing to test. */
export function rowFilter(filters: Filters): ((row: StoredRow) => boolean) | undefined {
  const { status, visibility } = filters;
  const ofCard = cardFilter(filters);
  if (!status && !visibility && !ofCard) return undefined;
  return (row) =>
    (!status || status.includes(row.status)) &&
    (!visibility || visibility.includes(row.visibility)) &&
    (!ofCard || ofCard(row));
}

function cardFilter({ tag, input_mode, output_mode, q }: Filters): ((row: StoredRow) => boolean) | undefined {
  if (!tag && !input_mode && !output_mode && q === undefined) return undefined;
  const wanted = { tag: lowerCase(tag), input: lowerCase(input_mode), output: lowerCase(output_mode) };
  const text = q?.toLowerCase();
  return (row) => {
    const card = described.parse(JSON.parse(row.card));
    const tags = [...row.tags, ...card.skills.flatMap((skill) => skill.tags)];
    return (
      hasOne(wanted.tag, tags) &&
      hasOne(wanted.input, [...card.defaultInputModes, ...card.skills.flatMap((s) => s.inputModes ?? [])]) &&
      hasOne(wanted.output, [
        ...card.defaultOutputModes,
        ...card.skills.flatMap((s) => s.outputModes ?? []),
      ]) &&
      (text === undefined || searched(card, tags).some((each) => each.toLowerCase().includes(text)))
    );
  };
}

const strings = z.array(z.string());
/** What filters look at; the rest of a card they need not know. */
const described = z.object({
  name: z.string(),
  description: z.string(),
  skills: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      tags: strings,
      inputModes: strings.optional(),
      outputModes: strings.optional(),
    }),
  ),
  defaultInputModes: strings,
  defaultOutputModes: strings,
});

const searched = (card: z.infer<typeof described>, tags: readonly string[]): readonly string[] => [
  card.name,
  card.description,
  ...card.skills.flatMap((skill) => [skill.id, skill.name, skill.description]),
  ...tags,
];

const lowerCase = (values: readonly string[] | undefined) =>
  values && new Set(values.map((value) => value.toLowerCase()));

const hasOne = (wanted: ReadonlySet<string> | undefined, values: readonly string[]): boolean =>
  !wanted || values.some((value) => wanted.has(value.toLowerCase()));
