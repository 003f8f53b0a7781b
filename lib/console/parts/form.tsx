// The fields of forms. They are read by `FormData` when the form is sent.
import { type HTMLInputTypeAttribute, type ReactNode, useId } from 'react';
import fields from './field.module.css';
import styles from './form.module.css';

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
}: TextFieldProps) {
  const id = useId();
  const shared = {
    id,
    name,
    required: isRequired,
    placeholder,
    readOnly: isFixed,
    defaultValue: value,
    className: fields.input,
    'aria-describedby': hint ? `${id}-hint` : undefined,
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
        <input {...shared} type={type} autoComplete={type === 'password' ? 'new-password' : 'off'} />
      )}
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange?: (value: string) => void;
}

export function SelectField({ label, name, hint, value, options, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        className={fields.input}
        defaultValue={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange?.(event.target.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <Hint id={id}>{hint}</Hint>
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
