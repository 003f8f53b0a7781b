// A test that a flow brings along: what starts a run of it, what its nodes give, and what must be true of how it ends.
import * as z from 'zod';
import { wholeExpression } from '../expression/segments.ts';
import { named } from '../format-notes.ts';
import { json, nodeId } from '../nodes/node-type.ts';

const event = named(
  'test_event',
  z.strictObject({ event: z.string().optional(), data: z.record(z.string(), json()).optional() }),
);

const input = named(
  'test_input',
  z.strictObject({
    message: z.string().optional(),
    user_variables: z.record(z.string(), json()).optional(),
    event: event.optional(),
  }),
);

export const flowTest = named(
  'test',
  z.strictObject({
    name: z.string().min(1).max(200).optional(),
    input,
    /** Instead of running, the node gives this, or fails with `{error: {code, message?}}`. */
    mocks: z.record(nodeId(), json()).optional(),
    /** To what the flow asks, in order. */
    answers: z.array(json()).max(100).optional(),
    expect: z.string().min(1),
  }),
);

export type FlowTest = Readonly<z.infer<typeof flowTest>>;

/** A mock that makes its node fail. */
export const mockedError = z.strictObject({
  error: z.strictObject({ code: z.string().min(1).max(100), message: z.string().max(1000).optional() }),
});

/** In braces like every expression of a flow; those that were registered without stay valid. */
export const expectation = ({ expect }: Pick<FlowTest, 'expect'>): string =>
  wholeExpression(expect) ?? expect;
