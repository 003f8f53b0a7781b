// How a model is to answer, as a flow says it: as the default of a model that it declares, or in a node, which wins.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';

export const settingFields = lazy(() => ({
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  /** How much the model thinks before it answers. Without it, as much as its provider decides. */
  reasoning: z.enum(['low', 'medium', 'high']).optional(),
}));

export type ModelSettings = Readonly<z.infer<z.ZodObject<ReturnType<typeof settingFields>>>>;
