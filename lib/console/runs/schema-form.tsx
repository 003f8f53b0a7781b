// The form of an answer with a JSON Schema: a field for each value, or JSON where the schema is nested.
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import type { JsonObject } from '#lib/json/json.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { ChoiceField, SelectField, TextField } from '../parts/form.tsx';
import {
  type AnswerField,
  listAnswerFields,
  listChoices,
  locateMistakes,
  presetText,
  readFields,
} from './answer-fields.ts';
import styles from './answer-form.module.css';
import { readAnswer } from './answer-value.ts';
import { words } from './words.ts';

interface SchemaFormProps {
  readonly schema: JsonObject;
  /** Why the last answer was refused. */
  readonly error: unknown;
  readonly send: (answer: unknown) => void;
}

export function SchemaForm({ schema, error, send }: SchemaFormProps) {
  const fields = useMemo(() => listAnswerFields(schema), [schema]);
  const located = useMemo(() => locate(error), [error]);
  return fields ? (
    <Fields schema={schema} fields={fields} error={located} send={send} />
  ) : (
    <JsonAnswer schema={schema} error={located} send={send} />
  );
}

function locate(error: unknown): unknown {
  if (!(error instanceof ApiError) || !error.problem.fields) return error;
  return new ApiError({ ...error.problem, fields: locateMistakes(error.problem.fields) });
}

function Fields({ schema, fields, error, send }: SchemaFormProps & { fields: readonly AnswerField[] }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    send(readFields(fields, (name) => String(form.get(name) ?? '')));
  };
  const isWhole = fields[0]?.member === undefined;
  return (
    <AnswerPage error={error} names={fields.map(({ name }) => name)} onSubmit={submit}>
      {!isWhole && typeof schema.description === 'string' && <p>{schema.description}</p>}
      {fields.map((field) => (
        <FieldOf key={field.name} field={field} />
      ))}
    </AnswerPage>
  );
}

function FieldOf({ field }: { field: AnswerField }) {
  const { name, member, title, description, isRequired, control, min, max } = field;
  const label = title ?? member ?? words.answer;
  const shared = {
    name,
    label: isRequired && member !== undefined ? words.requiredField(label) : label,
    hint: description,
    isRequired,
    value: presetText(field),
  };
  const options = listChoices(field).map((each, at) => [String(at), words.value(each)] as const);
  if (control === 'boolean')
    return <ChoiceField {...shared} options={isRequired ? options : [...options, ['', words.noValue]]} />;
  if (control === 'choice')
    return (
      <SelectField {...shared} options={[['', isRequired ? words.choose : words.noValue], ...options]} />
    );
  if (control === 'text' || control === 'lines')
    return <TextField {...shared} isLong={control === 'lines'} />;
  const step = control === 'integer' ? 1 : 'any';
  return <TextField {...shared} type="number" range={{ min, max, step }} />;
}

function JsonAnswer({ schema, error, send }: SchemaFormProps) {
  const [own, setOwn] = useState<ReadonlyMap<string, string>>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const answer = readAnswer(String(new FormData(event.currentTarget).get('answer') ?? ''), false);
    setOwn(answer === undefined ? new Map([['answer', words.notJson]]) : undefined);
    if (answer !== undefined) send(answer);
  };
  return (
    <AnswerPage error={error} own={own} names={['answer']} onSubmit={submit}>
      <TextField label={words.jsonAnswer} name="answer" isLong isRequired />
      <pre className={styles.detail}>{JSON.stringify(schema, undefined, 2)}</pre>
    </AnswerPage>
  );
}

interface AnswerPageProps {
  readonly error: unknown;
  readonly own?: ReadonlyMap<string, string> | undefined;
  readonly names: readonly string[];
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly children: ReactNode;
}

const AnswerPage = ({ error, own, names, onSubmit, children }: AnswerPageProps) => (
  <CheckedForm
    error={error}
    own={own}
    pointers={Object.fromEntries(names.map((name) => [name, `/body/${name}`]))}
    onSubmit={onSubmit}
    actions={
      <button type="submit" className={buttons.primary}>
        {words.send}
      </button>
    }
  >
    {children}
  </CheckedForm>
);
