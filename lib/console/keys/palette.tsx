// The command palette: pages, agents, the last runs and actions, by some letters of their names.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/icon.tsx';
import { type Entry, useEntries } from './entries.ts';
import styles from './palette.module.css';
import { words } from './words.ts';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShowKeys: () => void;
}

export function Palette({ onClose, onShowKeys }: PaletteProps) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const groups = useEntries(text, onShowKeys);
  const choose = ({ path, act }: Entry) => {
    onClose();
    if (path !== undefined) navigate(path);
    act?.();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label={words.palette}>
          <Autocomplete.Root
            open
            inline
            items={groups}
            value={text}
            onValueChange={setText}
            itemToStringValue={({ label }: Entry) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className={styles.field}>
              <Icon name="search" />
              <Autocomplete.Input
                className={styles.input}
                aria-label={words.search}
                placeholder={words.search}
              />
              <Dialog.Close className={styles.close}>{words.close}</Dialog.Close>
            </div>
            <Autocomplete.Empty className={styles.none}>{words.nothing}</Autocomplete.Empty>
            <Autocomplete.List className={styles.list}>
              {(group: (typeof groups)[number]) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className={styles.group}>{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(entry: Entry) => (
                      <Autocomplete.Item
                        key={entry.key}
                        value={entry}
                        className={styles.item}
                        onClick={() => choose(entry)}
                      >
                        <EntryIcon name={entry.icon} />
                        <span className={styles.name}>{entry.label}</span>
                        {entry.note && <span className={styles.note}>{entry.note}</span>}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const EntryIcon = ({ name }: { name: IconName }) => (
  <span className={styles.icon}>
    <Icon name={name} size={16} />
  </span>
);
