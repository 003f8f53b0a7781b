// The tags of stacks. CloudFormation gives those of a stack to every resource in it that can have tags, also in nested
// stacks, so they are in no template.
import * as z from 'zod';

/** What the tags of all services allow (https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html). */
const characters = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
const allowed = 'must be letters, digits, spaces and _ . : / = + - @';

const service = 'agent-flow';
const own = ['tenant', 'service'];
/** AWS allows 50 for a resource; the tags of CloudFormation itself do not count. */
const tagsMax = 50 - own.length;

const key = z
  .string()
  .min(1)
  .max(128)
  .regex(characters, allowed)
  .refine((name) => !name.toLowerCase().startsWith('aws:'), 'must not begin with "aws:", which AWS reserves')
  .refine((name) => !own.includes(name), 'is set by the stack itself; choose another key');

export const tags = z
  .record(key, z.string().max(256).regex(characters, allowed))
  .refine((all) => Object.keys(all).length <= tagsMax, `must be at most ${tagsMax} tags`);

export const sharedTags = { service };

interface Tagged {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

export const tenantTags = ({ id, tags: more }: Tagged): Record<string, string> => ({
  ...more,
  tenant: id,
  service,
});
