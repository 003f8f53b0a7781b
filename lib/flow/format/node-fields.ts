// Fields that node types share. Each schema is made when it is first needed, because only checks need them.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { limits } from './limits.ts';
import { named } from './notes.ts';

export const nodeIdPattern = /^[a-z][a-z0-9_]{0,63}$/;

export const nodeId = lazy(() =>
  z.string().regex(nodeIdPattern, 'expected a node id: a lower-case letter, then up to 63 of a-z, 0-9 and _'),
);

/** Any JSON value; strings in it may hold templates where the field allows them. */
export const json = lazy(() => z.custom<Json>((value) => value !== undefined, 'expected a JSON value'));

/** `schema/problems.ts` checks what it may contain. */
export const jsonSchema = lazy(() => z.record(z.string(), json()));

const errorPattern = lazy(() =>
  z
    .string()
    .regex(
      /^(\*|[a-z][a-z0-9_]*(\.([a-z0-9][a-z0-9_]*|\*))*)$/,
      'expected an error code such as "http.429", "http.5xx", "http.*", "timeout" or "*"',
    ),
);

const retry = lazy(() =>
  named(
    'retry',
    z.strictObject({
      max_attempts: z.int().min(2).max(limits.attemptsMax),
      delay_ms: z.int().min(0).max(limits.delayMsMax),
      backoff: z.number().min(1).max(10).optional(),
      max_delay_ms: z.int().min(0).max(limits.delayMsMax).optional(),
      on: z.array(errorPattern()).min(1),
    }),
  ),
);

export const stateName = lazy(() =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name: a letter or _, then letters, digits and _'),
);

export const assignments = lazy(() => z.record(stateName(), json()));

const catcher = lazy(() =>
  named(
    'catch',
    z.strictObject({
      on: z.array(errorPattern()).min(1),
      next: nodeId(),
      assign: assignments().optional(),
    }),
  ),
);

/** For people and editors; the engine does not read them. */
export const labels = lazy(() => ({ title: z.string().max(200).optional(), ui: json().optional() }));

/** For types that wait for something: there is nothing to try again, and their time is their own matter. */
export const pausingNode = lazy(() => ({
  ...labels(),
  catch: z.array(catcher()).min(1).optional(),
  assign: assignments().optional(),
  max_visits: z.int().min(1).max(limits.stepsMax).optional(),
}));

export const everyNode = lazy(() => ({
  ...pausingNode(),
  retry: retry().optional(),
  timeout_seconds: z.number().positive().max(limits.nodeSecondsMax).optional(),
}));

export const nodesOfBlock = lazy(() => z.record(z.string(), json()));

/** The nodes of a scope inside a node. They are read one by one, each by its own type, and only then known to be nodes. */
export const block = lazy(() => named('block', z.strictObject({ start: nodeId(), nodes: nodesOfBlock() })));

/** For types with a next node: without `next` the run ends here and the state is the response. */
export const onward = lazy(() => ({ next: nodeId().optional() }));

export type Retry = z.infer<ReturnType<typeof retry>>;
export type Catcher = z.infer<ReturnType<typeof catcher>>;
