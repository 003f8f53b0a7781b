// Whether keys without Ctrl or ⌘ do something: a person can switch them off (WCAG 2.1.4).
import { useState } from 'react';

const storageKey = 'agent-flow-single-keys';

export const hasSingleKeys = (): boolean => localStorage.getItem(storageKey) !== 'off';

export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(hasSingleKeys);
  const change = (next: boolean) => {
    if (next) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
    setOn(next);
  };
  return [isOn, change];
}
