// The part of an Agent Card (A2A v1.0.1 §4.4) that a client describes, and the whole card that the service publishes
// from it.
import * as z from 'zod';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import { webUrl } from '#lib/web-url.ts';
import type { AgentCard } from './agent-card.ts';
import { extensionInputs, publishExtensions } from './card-extensions.ts';
import { cardText as text } from './card-text.ts';
import { bytesMax } from './stored-row.ts';

const mimeType = z
  .string()
  .regex(/^[a-z]+\/[a-z0-9.+-]+$/, 'must be a MIME type such as "text/plain"')
  .max(127);
const mimeTypes = z.array(mimeType).min(1).max(20);
const httpUrl = webUrl({ protocol: /^https?$/, error: 'must be an http(s) URL', max: 2048 });
const tag = text(64);

const skill = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    id: text(64),
    name: text(128),
    description: text(2048),
    tags: z.array(tag).max(30).optional(),
    examples: z.array(text(1024)).max(20).optional(),
    inputModes: mimeTypes.optional(),
    outputModes: mimeTypes.optional(),
  }),
);

/**
 * Members of a published card that only the service sets: ignored when a client sends back the card it has
 * read.
 */
const readOnly = z.unknown().optional().meta({ description: 'Set by the service; ignored when sent.' });

export const agentCardInput = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      name: text(128),
      description: text(4096),
      version: text(64).optional().meta({ description: 'Default: flow_version, else "1.0.0".' }),
      skills: z.array(skill).min(1).max(50),
      tags: z
        .array(tag)
        .max(30)
        .optional()
        .meta({ description: 'Discoverability tags; merged into every skill of the published card.' }),
      provider: z.strictObject({ organization: text(128), url: httpUrl }).optional(),
      documentationUrl: httpUrl.optional(),
      iconUrl: httpUrl.optional(),
      defaultInputModes: mimeTypes.optional(),
      defaultOutputModes: mimeTypes.optional(),
      supportedInterfaces: readOnly,
      capabilities: z
        .strictObject({
          extensions: extensionInputs.optional(),
          streaming: readOnly,
          pushNotifications: readOnly,
          extendedAgentCard: readOnly,
        })
        .optional(),
      securitySchemes: readOnly,
      securityRequirements: readOnly,
      signatures: readOnly,
    })
    .refine((card) => publishedBytes(card) <= bytesMax.card, tooLarge(bytesMax.card))
    .meta({ id: 'AgentCardInput' }),
);
export type AgentCardInput = z.infer<typeof agentCardInput>;

type Modes = readonly string[] | undefined;
interface Measured {
  readonly tags?: readonly string[] | undefined;
  readonly defaultInputModes?: Modes;
  readonly defaultOutputModes?: Modes;
  readonly skills: readonly { readonly inputModes?: Modes; readonly outputModes?: Modes }[];
}

/**
 * What is published repeats parts of what was sent: the tags of the card in every skill, and the modes of all
 * skills where the card names none.
 */
function publishedBytes(card: Measured): number {
  const { tags = [], skills, defaultInputModes, defaultOutputModes } = card;
  const tagBytes = tags.length > 0 ? skills.length * jsonBytes(tags) : 0;
  const inputBytes = defaultInputModes ? 0 : jsonBytes(collectInputModes(skills));
  const outputBytes = defaultOutputModes ? 0 : jsonBytes(collectOutputModes(skills));
  return jsonBytes(card) + tagBytes + inputBytes + outputBytes;
}

/**
 * Tags must not be empty (A2A §4.4.5 requires one), so an agent without any gets the name of its kind. No
 * member has its default value, such as an empty list, so that the card is signed as it is served (§8.4.1).
 */
export function publishCard(
  input: AgentCardInput,
  /** The URL ends with a slash. */
  options: { readonly url: string; readonly version: string },
): AgentCard {
  const cardTags = input.tags ?? [];
  const extensions = publishExtensions(input.capabilities?.extensions);
  return {
    name: input.name,
    description: input.description,
    supportedInterfaces: [
      { url: options.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${options.url}rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${options.url}v0.3`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    ...(input.provider && { provider: input.provider }),
    version: input.version ?? options.version,
    ...(input.documentationUrl && { documentationUrl: input.documentationUrl }),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      ...(extensions.length > 0 && { extensions }),
    },
    securitySchemes: {
      apiKey: {
        apiKeySecurityScheme: {
          location: 'header',
          name: 'X-API-Key',
          description: 'An API key of this service (a JWT).',
        },
      },
    },
    // Names a role, as OpenAPI allows for schemes without scopes: the SDKs remove an empty list before they
    // verify a signature, and the whole requirement with it.
    securityRequirements: [{ schemes: { apiKey: { list: ['agents:call'] } } }],
    defaultInputModes: input.defaultInputModes ?? collectInputModes(input.skills),
    defaultOutputModes: input.defaultOutputModes ?? collectOutputModes(input.skills),
    skills: input.skills.map(({ examples = [], ...s }) => ({
      ...s,
      ...(examples.length > 0 && { examples }),
      // A2A requires a tag. Without one, the skill has its own id, so that nobody finds what the author never said.
      tags: withDefault([...new Set([...(s.tags ?? []), ...cardTags])], s.id),
    })),
    ...(input.iconUrl && { iconUrl: input.iconUrl }),
  };
}

/** The ids of the skills that get their own id as their tag; undefined if there are none. */
export function findUntaggedSkills({
  tags = [],
  skills,
}: Pick<AgentCardInput, 'tags' | 'skills'>): string[] | undefined {
  const untagged = skills.filter((skill) => tags.length === 0 && !skill.tags?.length).map(({ id }) => id);
  return untagged.length > 0 ? untagged : undefined;
}

const withDefault = (values: string[], fallback: string): string[] =>
  values.length > 0 ? values : [fallback];
const union = (modes: readonly Modes[], fallback: string): string[] =>
  withDefault([...new Set(modes.flatMap((m) => m ?? []))], fallback);
const collectInputModes = (skills: Measured['skills']) =>
  union(
    skills.map((each) => each.inputModes),
    'text/plain',
  );
const collectOutputModes = (skills: Measured['skills']) =>
  union(
    skills.map((each) => each.outputModes),
    'application/json',
  );
