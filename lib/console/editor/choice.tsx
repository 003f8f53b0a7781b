// A choice among values, within a field.
import { Select } from '@base-ui/react/select';
import { useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import styles from './choice.module.css';

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface ChoiceProps {
  readonly value: string;
  readonly options: readonly Option[];
  readonly isReadOnly?: boolean;
  readonly onChange: (value: string) => void;
}

/** The list is within the page, so that it is in a landmark, and fixed, so that no panel cuts it. */
export function Choice({ value, options, isReadOnly = false, onChange }: ChoiceProps) {
  const host = useRef<HTMLDivElement>(null);
  return (
    <div ref={host} className={styles.host}>
      <Select.Root
        items={options}
        value={value}
        readOnly={isReadOnly}
        onValueChange={(next) => next !== null && onChange(next)}
      >
        <Select.Trigger className={styles.trigger}>
          <Select.Value className={styles.value} />
          <Select.Icon className={styles.icon}>
            <Icon name="chevron" size={16} />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal container={host}>
          <Select.Positioner
            className={styles.positioner}
            positionMethod="fixed"
            sideOffset={4}
            alignItemWithTrigger={false}
          >
            <Select.Popup className={styles.popup}>
              <Select.List className={styles.list}>
                {options.map((option) => (
                  <Select.Item key={option.value} value={option.value} className={styles.item}>
                    <Select.ItemText>{option.label}</Select.ItemText>
                    {option.hint && <span className={styles.hint}>{option.hint}</span>}
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </div>
  );
}
