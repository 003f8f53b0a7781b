// The query of the list of registry rows, and the page of flows that `flow_list=true` returns.
import * as z from 'zod';
import { pageCursor, pageLimit, pageSchema, words } from '#lib/http/parameters.ts';
import { flowid, orgid, workspaceid } from '#lib/ids.ts';
import { registryFlow } from '#lib/registry/row/row.ts';
import { status, visibility } from '#lib/registry/row/stored-row.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
/** Given several times, the values are alternatives. */
const listParameter = <T extends z.ZodType>(value: T, max: number) =>
  z.array(value).min(1).max(max).optional();

export const listQuery = z
  .strictObject({
    workspaceid,
    orgid: orgid.optional().meta({ description: "Must be the caller's organisation." }),
    status: listParameter(status, 2).meta({
      description: 'Deployment status. Repeat the name for alternatives.',
    }),
    visibility: listParameter(visibility, 2).meta({ description: 'Who may call the agent. Repeatable.' }),
    flowid: listParameter(flowid, 10).meta({
      description: 'Builds of these flows only. Repeatable, up to 10.',
    }),
    tag: listParameter(words(127), 10).meta({
      description: 'Tags of the card or of a skill, whole, in any case. Repeatable, up to 10.',
    }),
    input_mode: listParameter(words(127), 10).meta({
      description:
        'MIME types that the agent or a skill accepts, such as `text/plain`. Repeatable, up to 10.',
    }),
    output_mode: listParameter(words(127), 10).meta({
      description: 'MIME types that the agent or a skill returns. Repeatable, up to 10.',
    }),
    q: words(200)
      .optional()
      .meta({
        description:
          'Words, all of which the card must have: in name, flowid, description, tags or skills, in any' +
          ' case and form (`refund` finds "Refunds"), as search understands them. Only whole words ' +
          'match, and words such as "the" do not count. The 64 most significant words of a long card ' +
          'are indexed.',
        example: 'refund',
      }),
    flow_list: flag.optional().meta({
      description:
        '`true` lists the distinct flows of the workspace in place of rows; it combines with orgid, limit, cursor and pagination only.',
    }),
    sort: z.enum(['-created_at', 'created_at']).optional().meta({
      description: 'Newest first, which is the default, or oldest first.',
    }),
    pagination: flag.optional().meta({
      description: '`false`: the full list at once, up to 1,000 items or 4 MB; without limit and cursor.',
    }),
    limit: pageLimit('Items'),
    cursor: pageCursor.meta({
      description: 'The nextCursor of the page before; valid for the same query of the same caller.',
    }),
  })
  .superRefine((query, context) => {
    const taken = new Set(Object.keys(query));
    const unfit = [
      ...(query.flow_list ? rowsOnly.map((name) => [name, 'flow_list=true']) : []),
      ...(query.pagination === false ? ['limit', 'cursor'].map((name) => [name, 'pagination=false']) : []),
    ];
    for (const [name = '', other = ''] of unfit) {
      if (!taken.has(name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: `does not combine with ${other}` });
    }
  });

const rowsOnly = ['status', 'visibility', 'flowid', 'tag', 'input_mode', 'output_mode', 'q', 'sort'];

export const flowPage = pageSchema(registryFlow, 'FlowPage');
