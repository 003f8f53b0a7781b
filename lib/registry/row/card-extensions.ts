// The extensions (A2A v1.0.1 §4.6) that a client declares in an Agent Card.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import { type AgentExtension, buildExtension } from './agent-card.ts';
import { cardText } from './card-text.ts';

/**
 * API Gateway takes 10,240 bytes of headers: the URIs of all extensions of a card fit into the header that activates
 * them.
 */
const extensionsMax = 20;
const uriLengthMax = 256;
const paramsBytesMax = 16_384;

/**
 * An absolute URI (RFC 3986 §4.3, here with a fragment too), also as an item of a list in a header. So it has no comma,
 * which a URI may have.
 */
const uri = z
  .string()
  .max(uriLengthMax)
  .regex(/^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+;=%-]+$/, {
    error: 'must be an absolute URI without commas, such as "https://example.com/extensions/geolocation/v1"',
  });

const extensionInput = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    uri: uri.meta({
      description:
        'Identifies the extension and its version. Compared with what clients send character by character.',
    }),
    description: cardText(1024).optional().meta({ description: 'How the agent uses the extension.' }),
    required: z.boolean().optional().meta({
      description: 'Calls that do not activate the extension are refused. Default: false.',
    }),
    params: jsonObject
      .refine((value) => jsonBytes(value, paramsBytesMax) <= paramsBytesMax, tooLarge(paramsBytesMax))
      .optional()
      .meta({ description: 'Parameters that the extension defines.' }),
  }),
);
type ExtensionInput = z.infer<typeof extensionInput>;

export const extensionInputs = /* @__PURE__ */ z.lazy(() =>
  z
    .array(extensionInput)
    .max(extensionsMax)
    .check(({ value, issues }) => {
      for (const index of findRepeated(value.map((each) => each.uri)))
        issues.push({
          code: 'custom',
          path: [index, 'uri'],
          message: 'must differ from those of the other extensions',
          input: value[index],
        });
    })
    .meta({ description: 'The extensions that the agent supports.' }),
);

const findRepeated = (uris: readonly string[]): number[] =>
  uris.flatMap((each, index) => (uris.indexOf(each) < index ? [index] : []));

/** That of the extended card is ignored, like all that the service sets, when a client sends back what it has read. */
export const publishExtensions = (extensions: readonly ExtensionInput[] = []): AgentExtension[] =>
  extensions
    .filter((each) => each.uri !== buildExtension)
    .map(({ uri, description, required, params }) => ({
      uri,
      ...(description !== undefined && { description }),
      ...(required && { required }),
      ...(params && { params }),
    }));
