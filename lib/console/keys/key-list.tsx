// The keys of the console, and the switch for those without Ctrl or ⌘.
import { Dialog } from '@base-ui/react/dialog';
import { Switch } from '@base-ui/react/switch';
import { useId } from 'react';
import { pages } from '../pages.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import { useSession } from '../shell/session.tsx';
import { commandKey } from './command-key.ts';
import { goKeys } from './key-actions.ts';
import styles from './key-list.module.css';
import { useSingleKeys } from './single-keys.ts';
import { words } from './words.ts';

export function KeyList({ onClose }: { onClose: () => void }) {
  const { may } = useSession();
  const [isOn, setOn] = useSingleKeys();
  const id = useId();
  const { keyList } = words;
  const shown = pages.filter(({ permission }) => !permission || may(permission));
  const keys: readonly (readonly [readonly string[], string])[] = [
    [[commandKey, 'K'], keyList.palette],
    [['/'], keyList.search],
    [['j', 'k'], keyList.rows],
    [['Enter'], keyList.row],
    [['x'], keyList.choose],
    ...shown.flatMap(({ path, rail, palette }) => {
      const name = rail ?? palette;
      const letter = goKeys[path];
      return name && letter !== undefined ? [[['g', letter], keyList.goTo(name.label)] as const] : [];
    }),
    [['+', '−', '0'], keyList.zoom],
    [['Shift', '←', '→'], keyList.move],
    [['?'], keyList.help],
  ];
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={`${dialog.popup} ${styles.popup}`}>
          <Dialog.Title className={dialog.title}>{words.keys}</Dialog.Title>
          <dl className={styles.keys}>
            {keys.map(([names, effect]) => (
              <div key={effect}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
          <div className={styles.choice}>
            <Switch.Root
              checked={isOn}
              onCheckedChange={setOn}
              className={styles.switch}
              aria-labelledby={id}
            >
              <Switch.Thumb className={styles.thumb} />
            </Switch.Root>
            <div>
              <strong id={id}>{words.singleKeys}</strong>
              <p className={dialog.text}>{words.singleKeysText}</p>
            </div>
          </div>
          <div className={dialog.actions}>
            <Dialog.Close className={buttons.button}>{words.close}</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
