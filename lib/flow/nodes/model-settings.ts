// Settings of a model call: as defaults of a declared model, or in a node, where they take precedence.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';

export const settingFields = lazy(() => ({
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  /** How much the model reasons before it answers. Defaults to the choice of the provider. */
  reasoning: z.enum(['low', 'medium', 'high']).optional(),
}));

export type ModelSettings = Readonly<z.infer<z.ZodObject<ReturnType<typeof settingFields>>>>;
