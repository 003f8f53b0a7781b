// The fields of a tool of kind `knowledge`, and the request that searches a knowledge base of Bedrock.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { apart, exactlyOne, needs, ruled } from '../format/notes.ts';
import type { RequestFields } from '../nodes/http-request.ts';
import { knowledgeLimits } from './knowledge-limits.ts';
import { toolRequest } from './tool-request.ts';

export const knowledge = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        knowledge_base: z
          .string()
          .regex(/^[0-9a-zA-Z]{1,100}$/, 'expected the id of a knowledge base, such as "KB12345678"')
          .optional()
          .meta({ description: 'Id of a knowledge base of Bedrock.' }),
        region: z
          .string()
          .regex(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'expected a region such as "eu-central-1"')
          .optional()
          .meta({ description: 'Region of the knowledge base.' }),
        connection: z.string().optional().meta({
          description:
            'Name of the connection of type `aws_sigv4` with which the knowledge base is searched.',
        }),
        http: toolRequest().optional().meta({
          description:
            'Request that searches with `args.query` and `args.top_k`; what it gives is a list of `{text, source, score}`.',
        }),
        top_k: z.int().min(1).max(knowledgeLimits.topKMax).optional().meta({
          description: 'Most passages of one search.',
          default: knowledgeLimits.topKDefault,
        }),
        min_score: z.number().optional().meta({
          description: 'Passages with a lower score are left out; one without a score is not.',
        }),
      })
      .meta({
        title: 'Knowledge',
        description: 'A search for passages of documents: in a knowledge base of Bedrock, or by any request.',
      }),
    [
      exactlyOne('knowledge_base', 'http'),
      needs('knowledge_base', 'region', ['region']),
      needs('knowledge_base', 'connection', ['connection']),
      apart(['region', 'http'], undefined, 'expected `region` only together with `knowledge_base`'),
      apart(['connection', 'http'], undefined, 'expected the `connection` inside `http`'),
    ],
    'knowledge',
  ),
);

export type KnowledgeFields = z.infer<ReturnType<typeof knowledge>>;

export const topK = ({ top_k = knowledgeLimits.topKDefault }: KnowledgeFields): number => top_k;

/** The request that the flow declares, or `Retrieve` of the API of Bedrock Agents. */
export function searchRequest(fields: KnowledgeFields): RequestFields {
  if (fields.http) return fields.http;
  const { knowledge_base = '', region = '', connection } = fields;
  return {
    method: 'POST',
    url: `https://bedrock-agent-runtime.${region}.amazonaws.com/knowledgebases/${knowledge_base}/retrieve`,
    body: {
      retrievalQuery: { text: '{{ args.query }}' },
      retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: topK(fields) } },
    },
    ...(connection !== undefined && { connection }),
  };
}
