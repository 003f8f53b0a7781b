// Fields that node types share. The schemas are created lazily, because only checks need them.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { limits } from './limits.ts';
import { named, needs } from './notes.ts';

export const nodeIdPattern = /^[a-z][a-z0-9_]{0,63}$/;

export const nodeId = /* @__PURE__ */ lazy(() =>
  z.string().regex(nodeIdPattern, 'expected a node id: a lower-case letter, then up to 63 of a-z, 0-9 and _'),
);

/** Any JSON value; its strings can contain templates if the field allows them. */
export const json = /* @__PURE__ */ lazy(() =>
  z.custom<Json>((value) => value !== undefined, 'expected a JSON value'),
);

/** `schema/problems.ts` checks the contents. */
export const jsonSchema = /* @__PURE__ */ lazy(() => z.record(z.string(), json()));

const errorPattern = /* @__PURE__ */ lazy(() =>
  z
    .string()
    .regex(
      /^(\*|[a-z][a-z0-9_]*(\.([a-z0-9][a-z0-9_]*|\*))*)$/,
      'expected an error code such as "http.429", "http.5xx", "http.*", "timeout" or "*"',
    ),
);

const retry = /* @__PURE__ */ lazy(() =>
  named(
    'retry',
    z
      .strictObject({
        max_attempts: z
          .int()
          .min(2)
          .max(limits.attemptsMax)
          .meta({ description: 'Number of attempts, the first one included.' }),
        delay_ms: z
          .int()
          .min(0)
          .max(limits.delayMsMax)
          .meta({ description: 'Milliseconds to wait before the second attempt.' }),
        backoff: z
          .number()
          .min(1)
          .max(10)
          .optional()
          .meta({ description: 'Factor by which each further delay is multiplied.', default: 2 }),
        max_delay_ms: z
          .int()
          .min(0)
          .max(limits.delayMsMax)
          .optional()
          .meta({ description: 'Longest delay in milliseconds.' }),
        on: z.array(errorPattern()).min(1).meta({
          description:
            'Codes of errors after which the node is retried, such as `http.429`, `http.5xx`, `timeout` or `*`.',
        }),
      })
      .meta({
        title: 'Retry',
        description: 'How often a node is attempted, after which errors, and the delay before each attempt.',
      }),
  ),
);

export const stateName = /* @__PURE__ */ lazy(() =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name: a letter or _, then letters, digits and _'),
);

export const assignments = /* @__PURE__ */ lazy(() => z.record(stateName(), json()));

const catcher = /* @__PURE__ */ lazy(() =>
  named(
    'catch',
    z
      .strictObject({
        on: z.array(errorPattern()).min(1).meta({
          description:
            'Codes of errors, such as `http.404`, `http.5xx`, `http.*`, `timeout`, or `*` for every error.',
        }),
        next: nodeId().meta({ description: 'Id of the node to continue with.' }),
        assign: assignments()
          .optional()
          .meta({ description: 'Variables of the state to set before continuing, by name.' }),
      })
      .meta({ title: 'Catch', description: 'Which errors are caught, and where the run continues.' }),
  ),
);

/** For people and editors; the engine does not read them. */
export const labels = /* @__PURE__ */ lazy(() => ({
  title: z.string().max(200).optional().meta({ description: 'Name of the node for people.' }),
  ui: json()
    .optional()
    .meta({ description: 'Anything that an editor stores with the node; the engine does not read it.' }),
}));

/** For node types that pause: they have no retries, and their own fields for timeouts. */
export const pausingNode = /* @__PURE__ */ lazy(() => ({
  ...labels(),
  catch: z
    .array(catcher())
    .min(1)
    .optional()
    .meta({ description: 'Where the run continues after an error; tried in order when no attempt is left.' }),
  assign: assignments().optional().meta({
    description: 'Variables of the state to set after the node has run, by name; they may use its output.',
  }),
  max_visits: z.int().min(1).max(limits.stepsMax).optional().meta({
    description:
      'How often a run may execute the node; one more execution ends the run with `limit.visits`, or leads to `on_max_visits`.',
  }),
  on_max_visits: nodeId().optional().meta({
    description: 'Id of the node at which the run continues instead of executing this one too often.',
  }),
}));

/** The rules of the fields above. */
export const nodeRules = /* @__PURE__ */ lazy(() => [
  needs('on_max_visits', 'max_visits', ['on_max_visits']),
]);

export const everyNode = /* @__PURE__ */ lazy(() => ({
  ...pausingNode(),
  retry: retry().optional().meta({ description: 'Runs the node again after an error.' }),
  timeout_seconds: z.number().positive().max(limits.nodeSecondsMax).optional().meta({
    description:
      'Seconds that one attempt may take; defaults to 60, or to the time of the run for nodes that take long.',
  }),
}));

export const nodesOfBlock = /* @__PURE__ */ lazy(() => z.record(z.string(), json()));

/** The nodes of a scope inside a node. Each is parsed later, by the schema of its type. */
export const block = /* @__PURE__ */ lazy(() =>
  named(
    'block',
    z
      .strictObject({
        start: nodeId().meta({ description: 'Id of the first node of the scope.' }),
        nodes: nodesOfBlock().meta({
          description: 'The nodes of the scope by id; ids are unique in the whole flow.',
        }),
      })
      .meta({ title: 'Scope', description: 'Nodes inside a node, with a cursor of their own.' }),
  ),
);

/** For node types with a next node: without `next`, the run ends here and the state is the response. */
export const onward = /* @__PURE__ */ lazy(() => ({
  next: nodeId()
    .optional()
    .meta({ description: 'Id of the next node; without it the scope or the run ends here.' }),
}));

export type Retry = z.infer<ReturnType<typeof retry>>;
export type Catcher = z.infer<ReturnType<typeof catcher>>;
