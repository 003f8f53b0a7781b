// A test that a flow brings along: what starts a run of it, what its nodes give, and what must be true of how it ends.
import * as z from 'zod';
import { json, nodeId } from '../format/node-fields.ts';
import { named } from '../format/notes.ts';
import { wholeExpression } from '../format/template-segments.ts';

const values = z.record(z.string(), json());

const event = named('test_event', z.strictObject({ event: z.string().optional(), data: values.optional() }));

const a2a = named(
  'test_a2a',
  z.strictObject({
    message: values.optional(),
    messageId: z.string().optional(),
    metadata: values.optional(),
  }),
);

/** As expressions see it. */
const input = named(
  'test_input',
  z.strictObject({
    message: z.string().optional(),
    user_variables: values.optional(),
    event: event.optional(),
    a2a: a2a.optional(),
  }),
);

export const flowTest = named(
  'test',
  z.strictObject({
    name: z.string().min(1).max(200).optional(),
    input,
    /** What each node does instead of running, see `mock.ts`. */
    mocks: z.record(nodeId(), json()).optional(),
    /** To what the flow asks, in order. */
    answers: z.array(json()).max(100).optional(),
    expect: z.string().min(1),
  }),
);

export type FlowTest = Readonly<z.infer<typeof flowTest>>;

/** In braces like every expression of a flow; those that were registered without stay valid. */
export const expectation = ({ expect }: Pick<FlowTest, 'expect'>): string =>
  wholeExpression(expect) ?? expect;

/** What an expectation may begin with: how the run ended, and what its expressions saw. */
export const expectationNames: readonly string[] = [
  ...['status', 'response', 'error', 'as', 'path', 'replies', 'artifacts', 'input_requests'],
  ...['input', 'state', 'env', 'nodes', 'run'],
];
