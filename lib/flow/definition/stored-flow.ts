// A flow as it is kept. It was checked when it was registered and sealed under the name of its build, so it is not checked again when it is
// opened: that would build the schemas of all node types in every cold start, only to find what was found before. A change of the format that
// older flows do not fit needs another version.

import { isObject } from '../format/json-value.ts';
import type { Flow } from './flow.ts';

const version: Flow['version'] = 1;

/** Only of what was opened from where `checkFlow` had passed it. */
export const isStoredFlow = (opened: unknown): opened is Flow =>
  isObject(opened) && opened.version === version;
