// What the thread that evaluates answers to a task.
import type { Json } from '#lib/json/json.ts';

export type ThreadAnswer =
  | { readonly value: Json }
  | { readonly error: { readonly code: string; readonly message: string; readonly cause?: string } };
