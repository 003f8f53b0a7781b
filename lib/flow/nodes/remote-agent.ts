// How a flow names another agent: by registry id, URL or filter. Shared by `a2a` nodes and tools of agents.
import * as z from 'zod';
import { registryId } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { staticUrlProblem } from '../format/egress.ts';
import { named, narrowed } from '../format/notes.ts';
import { hasTemplate } from '../format/template-segments.ts';

const text = () =>
  narrowed(
    z.string().min(1).max(256),
    (value) => !hasTemplate(value),
    'expected no expression: which agents a flow calls is known before it runs',
    { not: { pattern: '\\{\\{' } },
  );
const texts = () => z.array(text()).min(1).max(20).optional();

export const agentFilter = /* @__PURE__ */ lazy(() =>
  named(
    'agent_filter',
    z
      .strictObject({
        q: text().optional().meta({ description: 'Words to search agents by.' }),
        status: z
          .enum(['test', 'live'])
          .optional()
          .meta({ description: 'Whether live agents or test builds are found.' }),
        visibility: z
          .enum(['public', 'organization'])
          .optional()
          .meta({ description: 'Visibility of the agent.' }),
        tags: texts().meta({ description: 'Tags that the agent has.' }),
        input_modes: texts().meta({ description: 'MIME types that the agent accepts.' }),
        output_modes: texts().meta({ description: 'MIME types that the agent produces.' }),
      })
      .meta({ title: 'Filter of agents', description: 'What an agent must match; all filters apply.' }),
  ),
);

export type SavedFilter = z.infer<ReturnType<typeof agentFilter>>;

/** Describes what is wrong with the address of an agent; undefined if nothing is. */
export function agentProblem(agent: string, egress: readonly string[]): string | undefined {
  if (registryId.safeParse(agent).success) return undefined;
  if (!/^[a-z]+:/i.test(agent))
    return 'expected a registry id (reg_…), or the URL of an agent or of its card';
  return staticUrlProblem(agent, egress);
}

/** The field of `a2a` nodes and of tools. */
export const contextId = () =>
  z.string().min(1).nullable().optional().meta({
    description:
      'The conversation to continue, such as the `context_id` of another node; template. Null: a new one. Default: the last one with that agent.',
  });

/** The field of `a2a` nodes and of tools that name an agent. */
export const verify = () =>
  z.enum(['none', 'require']).optional().meta({
    description: 'Whether the Agent Card at a URL must be signed by a key of the origin of the URL.',
    default: 'none',
  });

/** The field of `a2a` nodes and of tools that name an agent. */
export const extensions = () =>
  z
    .array(
      z
        .string()
        .max(256)
        .regex(/^[!-+\x2d-~]+$/, 'must be a URI in ASCII, without commas'),
    )
    .min(1)
    .max(20)
    .optional()
    .meta({
      description: 'URIs of the A2A extensions to activate, such as those that the agent requires; literal.',
    });
