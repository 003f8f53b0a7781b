// A value that must not be printed: it converts to `[secret]`, and only `reveal()` returns the text.
import { inspect } from 'node:util';

export interface Secret {
  /** The text itself. Call it where the text leaves the process, never to keep a copy. */
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
}

const MASK = '[secret]';
const masked = () => MASK;

/**
 * The text lives in a closure, so that spreading, logging, serialising and inspecting the object all miss it.
 */
export const secret = (text: string): Secret =>
  Object.freeze({ reveal: () => text, toString: masked, toJSON: masked, [inspect.custom]: masked });

export const isSecret = (value: unknown): value is Secret =>
  typeof value === 'object' && value !== null && 'reveal' in value && typeof value.reveal === 'function';
