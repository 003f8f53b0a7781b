// Recognizes a stored flow. It was checked when it was registered, and then encrypted for its build. It is not checked
// again when it is loaded, because that would build the schemas of all node types in every cold start. A change of the
// format that older flows do not match needs another version.

import { isObject } from '../format/json-value.ts';
import type { Flow } from './flow.ts';

const version: Flow['version'] = 1;

/** Only for flows that `checkFlow` had accepted before they were stored. */
export const isStoredFlow = (opened: unknown): opened is Flow =>
  isObject(opened) && opened.version === version;
