// The keys of the console, and the button for those who have none. What they open is loaded on first use.
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { pages } from '../pages.ts';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../shell/session.tsx';
import { commandKey } from './command-key.ts';
import { type KeyAction, type Pressed, toAction } from './key-actions.ts';
import styles from './keyboard.module.css';
import { hasSingleKeys } from './single-keys.ts';
import { words } from './words.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }));

type Overlay = 'palette' | 'keys';

export function Keyboard() {
  const [shown, show] = useState<Overlay>();
  const [, navigate] = useLocation();
  const { may } = useSession();
  useKeys((action) => {
    if (action.kind === 'palette') show('palette');
    if (action.kind === 'help') show('keys');
    if (action.kind === 'search' && !focusSearch()) show('palette');
    if (action.kind === 'row') focusRow(action.by);
    if (action.kind === 'choose') chooseRow();
    if (action.kind !== 'go') return;
    const page = pages.find(({ path }) => path === action.path);
    if (page && (!page.permission || may(page.permission))) navigate(page.path);
  });
  const close = () => show(undefined);
  return (
    <>
      <button type="button" className={styles.open} onClick={() => show('palette')}>
        <Icon name="search" size={16} />
        <span className={styles.label}>{words.open}</span>
        <kbd className={styles.key}>{commandKey} K</kbd>
      </button>
      <Suspense>
        {shown === 'palette' && <Palette onClose={close} onShowKeys={() => show('keys')} />}
        {shown === 'keys' && <KeyList onClose={close} />}
      </Suspense>
    </>
  );
}

const goingMs = 1_500;

function useKeys(act: (action: KeyAction) => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    let goingUntil = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const isGoing = event.timeStamp < goingUntil;
      const action = toAction(readPressed(event), { hasSingleKeys: hasSingleKeys(), isGoing });
      goingUntil = action.kind === 'begin-going' ? event.timeStamp + goingMs : 0;
      if (action.kind === 'none' || action.kind === 'begin-going') return;
      event.preventDefault();
      latest.current(action);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

const readPressed = (event: KeyboardEvent): Pressed => ({
  key: event.key,
  hasCommand: event.ctrlKey || event.metaKey,
  hasAlt: event.altKey,
  isTyping: isField(event.composedPath()[0]),
});

/** Also one in a shadow tree, as the editor of flows is. */
const isField = (target: EventTarget | undefined): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="menu"], [role="dialog"]',
  ) !== null;

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]');
  field?.focus();
  return field !== null;
}

/** The rows of the lists of a page are what it marks by `data-row`. */
function focusRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#main [data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by;
  rows[next]?.focus();
}

/** Checks or unchecks the row that has the focus. */
const chooseRow = (): void =>
  document.activeElement?.closest('tr')?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
