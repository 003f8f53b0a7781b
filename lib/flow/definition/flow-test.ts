// A test that a flow brings along: what starts a run of it, what its nodes give, and what must be true of how it ends.
import * as z from 'zod';
import { json, nodeId } from '../format/node-fields.ts';
import { named } from '../format/notes.ts';
import { wholeExpression } from '../format/template-segments.ts';

const values = z.record(z.string(), json());

const event = named(
  'test_event',
  json().meta({
    title: 'Event of a test',
    description: 'The body that a webhook received, such as `{"event": "ticket.closed", "data": {}}`.',
  }),
);

const a2a = named(
  'test_a2a',
  z
    .strictObject({
      message: values.optional().meta({ description: 'The message as it was received, with its `parts`.' }),
      messageId: z.string().optional().meta({ description: 'Id of the message.' }),
      metadata: values.optional().meta({ description: 'Metadata that its sender has added.' }),
      requestMetadata: values.optional().meta({ description: 'Metadata of the request that sent it.' }),
      taskId: z.string().optional().meta({ description: 'Id of the task that it started.' }),
      contextId: z.string().optional().meta({ description: 'Id of the context of the task.' }),
      extensions: z
        .array(z.string())
        .optional()
        .meta({ description: 'URIs of the extensions that the request activated.' }),
    })
    .meta({ title: 'A2A message of a test', description: 'A message that was received over A2A.' }),
);

/** As expressions see it. */
const input = named(
  'test_input',
  z
    .strictObject({
      message: z.string().optional().meta({ description: 'The message.' }),
      user_variables: values
        .optional()
        .meta({ description: 'The variables by name, which expressions read as `input.user_variables`.' }),
      files: z
        .array(values)
        .optional()
        .meta({ description: 'References to files, which expressions read as `input.files`.' }),
      event: event.optional().meta({ description: 'Event, as a webhook sends it.' }),
      a2a: a2a.optional().meta({ description: 'Message, as an A2A client sends it.' }),
    })
    .meta({ title: 'Input of a test', description: 'Input of the run of a test.' }),
);

const sentEvent = named(
  'test_sent_event',
  z
    .strictObject({
      event: z.string().min(1).meta({ description: 'Name of the event.' }),
      key: z
        .union([z.string(), z.number()])
        .optional()
        .meta({ description: 'Its correlation key; without it, every key fits.' }),
      data: json().optional().meta({ description: 'Data of the event; defaults to `{}`.' }),
    })
    .meta({ title: 'Sent event of a test', description: 'An event that is sent to a `wait` of the flow.' }),
);

export const flowTest = named(
  'test',
  z
    .strictObject({
      name: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'Name of the test; defaults to its number.' }),
      input: input.meta({ description: 'Input of the run.' }),
      mocks: z.record(nodeId(), json()).optional().meta({
        description:
          'Outputs of nodes, by id; `{error: {code}}` makes a node fail, `by_item` and `in_order` list several outputs.',
      }),
      answers: z.array(json()).max(100).optional().meta({
        description:
          'Answers to the questions of the flow, in order; `{a2a: {message}}` is the message of an A2A client.',
      }),
      events: z.array(sentEvent).max(100).optional().meta({
        description:
          'Events for which the flow waits: each `wait` takes the first one of its name and key; without one, its time runs out.',
      }),
      expect: z
        .string()
        .min(1)
        .meta({ description: 'One expression that must be true.', examples: ["{{ status = 'completed' }}"] }),
    })
    .meta({
      title: 'Test',
      description: 'One run without the network, and what must be true of its result.',
    }),
);

export type FlowTest = Readonly<z.infer<typeof flowTest>>;

/** In braces like every expression of a flow; those that were registered without stay valid. */
export const expectation = ({ expect }: Pick<FlowTest, 'expect'>): string =>
  wholeExpression(expect) ?? expect;

/** What an expectation may begin with: how the run ended, and what its expressions saw. */
export const expectationNames: readonly string[] = [
  ...['status', 'response', 'error', 'as', 'path', 'replies', 'artifacts', 'input_requests'],
  ...['message', 'response_artifact'],
  ...['input', 'state', 'env', 'nodes', 'run'],
];
