// A filter that is typed: it applies with Enter, or when the field is left.
import { useEffect, useRef } from 'react';
import fields from './field.module.css';

interface TextFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextFilter({ label, value = '', onChange }: TextFilterProps) {
  const field = useRef<HTMLInputElement>(null);
  // It may be cleared elsewhere. The field stays the same one, so that it keeps the focus.
  useEffect(() => {
    if (field.current) field.current.value = value;
  }, [value]);
  return (
    <input
      ref={field}
      className={fields.input}
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onBlur={(event) => onChange(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(event.currentTarget.value.trim());
      }}
    />
  );
}
