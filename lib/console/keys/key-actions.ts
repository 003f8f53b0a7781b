// What a key does outside of fields. Pure.

/** The letter after `g`, by the address of the page. Pages that are not there have none. */
export const goKeys: Readonly<Record<string, string>> = {
  '/': 'h',
  '/agents': 'a',
  '/runs': 'r',
  '/inbox': 'i',
  '/playground': 'p',
  '/triggers': 't',
  '/connections': 'c',
  '/environments': 'e',
  '/dead-letters': 'd',
  '/usage': 'u',
  '/settings': 's',
};

export interface Pressed {
  readonly key: string;
  /** Control, or ⌘ on a Mac. */
  readonly hasCommand: boolean;
  readonly hasAlt: boolean;
  /** The focus is where keys are text, or choose among options. */
  readonly isTyping: boolean;
}

interface Situation {
  readonly hasSingleKeys: boolean;
  /** `g` was pressed just before. */
  readonly isGoing: boolean;
}

export type KeyAction =
  | { readonly kind: 'palette' | 'search' | 'help' | 'begin-going' | 'choose' | 'none' }
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'row'; readonly by: 1 | -1 };

const singleKeys: Readonly<Record<string, KeyAction>> = {
  '/': { kind: 'search' },
  '?': { kind: 'help' },
  j: { kind: 'row', by: 1 },
  k: { kind: 'row', by: -1 },
  g: { kind: 'begin-going' },
  x: { kind: 'choose' },
};

const none: KeyAction = { kind: 'none' };

export function toAction(
  { key, hasCommand, hasAlt, isTyping }: Pressed,
  { hasSingleKeys, isGoing }: Situation,
): KeyAction {
  if (hasCommand && !hasAlt && key.toLowerCase() === 'k') return { kind: 'palette' };
  if (hasCommand || hasAlt || isTyping || !hasSingleKeys) return none;
  if (!isGoing) return Object.hasOwn(singleKeys, key) ? (singleKeys[key] ?? none) : none;
  const found = Object.entries(goKeys).find(([, letter]) => letter === key);
  return found ? { kind: 'go', path: found[0] } : none;
}
