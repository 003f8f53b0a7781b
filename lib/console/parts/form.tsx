// The fields of forms. They are read by `FormData` when the form is sent.
import { createContext, type HTMLInputTypeAttribute, type ReactNode, useContext, useId } from 'react';
import fields from './field.module.css';
import styles from './form.module.css';

/** What is wrong with the fields of the form, by their names. */
export const FieldErrors = createContext<ReadonlyMap<string, string>>(new Map());

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
  readonly value?: string | undefined;
}

interface TextFieldProps extends FieldProps {
  readonly type?: HTMLInputTypeAttribute;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isFixed?: boolean;
  /** Of a number. */
  readonly range?: Range;
}

interface Range {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly step: number | 'any';
}

export function TextField({
  label,
  name,
  hint,
  value,
  type = 'text',
  placeholder,
  isRequired = false,
  isLong = false,
  isFixed = false,
  range,
}: TextFieldProps) {
  const id = useId();
  const error = useContext(FieldErrors).get(name);
  const shared = {
    id,
    name,
    required: isRequired,
    placeholder,
    readOnly: isFixed,
    defaultValue: value,
    className: fields.input,
    ...describedBy(id, hint, error),
  };
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {label}
      </label>
      {isLong ? (
        <textarea {...shared} />
      ) : (
        // A secret may be pasted, and no browser keeps it.
        <input
          {...shared}
          {...range}
          type={type}
          autoComplete={type === 'password' ? 'new-password' : 'off'}
        />
      )}
      <Hint id={id}>{hint}</Hint>
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange?: (value: string) => void;
}

export function SelectField({ label, name, hint, isRequired, value, options, onChange }: SelectFieldProps) {
  const id = useId();
  const error = useContext(FieldErrors).get(name);
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        className={fields.input}
        required={isRequired}
        defaultValue={value}
        {...describedBy(id, hint, error)}
        onChange={(event) => onChange?.(event.target.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <Hint id={id}>{hint}</Hint>
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}

/** One of few options, all of which are shown. */
export function ChoiceField({ label, name, hint, isRequired, value, options }: SelectFieldProps) {
  const id = useId();
  const error = useContext(FieldErrors).get(name);
  return (
    // Of its radio buttons none alone is mistaken, so the group takes the focus.
    <div
      role="radiogroup"
      className={fields.field}
      aria-labelledby={`${id}-label`}
      aria-required={isRequired}
      tabIndex={error ? -1 : undefined}
      {...describedBy(id, hint, error)}
    >
      <span id={`${id}-label`} className={fields.label}>
        {label}
      </span>
      <div className={fields.row}>
        {options.map(([option, text]) => (
          <label key={option} className={styles.check}>
            <input
              type="radio"
              name={name}
              value={option}
              required={isRequired}
              defaultChecked={option === value}
            />
            {text}
          </label>
        ))}
      </div>
      <Hint id={id}>{hint}</Hint>
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly isChecked?: boolean;
}

export const CheckField = ({ label, name, value = 'on', isChecked = false }: CheckFieldProps) => (
  <label className={styles.check}>
    <input type="checkbox" name={name} value={value} defaultChecked={isChecked} />
    {label}
  </label>
);

export const FieldGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <fieldset className={styles.group}>
    <legend className={styles.legend}>{title}</legend>
    {children}
  </fieldset>
);

const Hint = ({ id, children }: { id: string; children: string | undefined }) =>
  children ? (
    <p id={`${id}-hint`} className={fields.hint}>
      {children}
    </p>
  ) : null;

export const FieldError = ({ id, children }: { id: string; children: string | undefined }) =>
  children ? (
    <p id={`${id}-error`} className={fields.error}>
      {children}
    </p>
  ) : null;

/** The mistake is read first, because it is what the person has to change. */
export const describedBy = (id: string, hint: string | undefined, error: string | undefined) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined,
});
