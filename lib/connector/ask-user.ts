// Asks the user of a client that can show forms or open pages: the question of a paused task, or the page on which
// missing connections are stored. Revision 2026-07-28 returns such requests as the result of the call, which the client
// sends again with the answers.
import { CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { type JsonObject, json } from '#lib/json/json.ts';
import { describeNeeds } from '#lib/run/missing-connections.ts';
import type { RunView } from '#lib/run/state.ts';
import { createStateCodec, type RequestState } from './request-state.ts';
import { describeQuestion } from './task-answer.ts';
import type { InputWanted, ToolCall } from './tool.ts';

/** The name of the only request for input. */
const name = 'answer';

const capabilities = z.object({
  elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
});

/** What the client can ask its user: a form, a page. */
export interface Abilities {
  readonly forms: boolean;
  readonly pages: boolean;
}

/** An empty capability means forms (MCP 2026-07-28, elicitation). */
export function readAbilities({ mcp, era }: Pick<ToolCall, 'mcp' | 'era'>): Abilities {
  const declared = capabilities.safeParse(Reflect.get(mcp.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY)).data
    ?.elicitation;
  if (era === 'legacy' || !declared) return { forms: false, pages: false };
  const pages = declared.url !== undefined;
  return { forms: declared.form !== undefined || !pages, pages };
}

/** Undefined where the client cannot ask, or where the question fits into no form. */
function buildElicitation(view: RunView, abilities: Abilities) {
  const link = buildLink(view, abilities);
  if (link) return { request: link };
  const [question] = view.requests;
  const request = question && buildForm(view, question, abilities);
  return request && { request, question: question.id };
}

/** All that a paused task waits for, by keys; undefined where the client cannot ask for some of it. */
export function buildElicitations(view: RunView, abilities: Abilities, linkKey: string) {
  const link = buildLink(view, abilities);
  if (link) return { [linkKey]: link };
  const forms = view.requests.map((question) => [question.id, buildForm(view, question, abilities)] as const);
  const asked = forms.flatMap(([id, form]) => (form ? [[id, form] as const] : []));
  return asked.length > 0 && asked.length === forms.length ? Object.fromEntries(asked) : undefined;
}

function buildLink({ status, needs }: RunView, { pages }: Abilities): Elicitation | undefined {
  if (status !== 'auth_required' || !needs || !pages) return undefined;
  const message = `${describeNeeds(needs)} Store them on this page.`;
  return inputRequired.elicitUrl({ message, url: needs.configuration_url });
}

function buildForm(
  { status }: RunView,
  question: InputRequest,
  { forms }: Abilities,
): Elicitation | undefined {
  const requestedSchema = forms && status === 'input_required' ? toFormSchema(question) : undefined;
  return requestedSchema && inputRequired.elicit({ message: describeQuestion(question), requestedSchema });
}

export async function askUser(view: RunView, call: ToolCall): Promise<InputWanted | undefined> {
  const asked = buildElicitation(view, readAbilities(call));
  if (!asked) return undefined;
  const { run_id: task_id, a2aregistryid: registry_id } = view.run;
  const state = { registry_id, task_id, ...(asked.question !== undefined && { question: asked.question }) };
  return await wantInput(call, asked.request, state);
}

type Elicitation = ReturnType<typeof inputRequired.elicit>;

async function wantInput(call: ToolCall, asked: Elicitation, state: RequestState): Promise<InputWanted> {
  const codec = await createStateCodec(call.request.caller);
  const requestState = await codec.mint(state, { mcpReq: call.mcp });
  return { inputRequired: inputRequired({ inputRequests: { [name]: asked }, requestState }) };
}

type FormSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

/** An object of simple values is a form of its members. Any other answer is one field. */
function toFormSchema(question: InputRequest): FormSchema | undefined {
  const own = toFields(question);
  if (own) return own;
  const answer = toField(question);
  return answer && { type: 'object', properties: { answer }, required: ['answer'] };
}

/** Arguments are changed by a model, or over A2A and REST. */
const approvalForm: FormSchema = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Approve' },
    reason: {
      type: 'string',
      title: 'Reason',
      description: 'Why not: the agent is told.',
      maxLength: limits.approvalReasonChars,
    },
  },
  required: ['approved'],
};

const objectSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.record(z.string(), json)),
  required: z.array(z.string()).optional(),
});

function toFields({ schema, purpose }: InputRequest): FormSchema | undefined {
  if (purpose === 'approval') return approvalForm;
  const { properties = {}, required = [] } = objectSchema.safeParse(schema).data ?? {};
  const fields = Object.entries(properties).map(
    ([key, member]) => [key, toField({ schema: member })] as const,
  );
  if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined;
  return { type: 'object', properties: Object.fromEntries(fields), required } as FormSchema;
}

const primitives = ['string', 'number', 'integer', 'boolean'] as const;
const keptKeywords = ['title', 'description', 'minimum', 'maximum', 'minLength', 'maxLength'] as const;

/** A form has texts, numbers and yes or no. Anything else is asked by the model. */
function toField({ choices, schema }: Pick<InputRequest, 'choices' | 'schema'>) {
  if (choices) return { type: 'string' as const, enum: [...choices] };
  if (!schema) return { type: 'string' as const };
  const type = primitives.find((each) => each === schema.type);
  if (!type || schema.enum !== undefined) return undefined;
  return { type, ...pickKeywords(schema) } as { readonly type: 'string' };
}

const pickKeywords = (schema: JsonObject): JsonObject =>
  Object.fromEntries(keptKeywords.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));

const response = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), json).optional(),
});

interface Response {
  /** The fields of the form; none after a page. */
  readonly content: JsonObject | undefined;
}

/** What the user has answered; undefined where the user would not, or the client could not ask. */
export const readResponse = ({ mcp }: ToolCall) => parseResponse(mcp.inputResponses?.[name]);

export function parseResponse(sent: unknown): Response | undefined {
  const read = response.safeParse(sent);
  return read.success && read.data.action === 'accept' ? { content: read.data.content } : undefined;
}

/** As a model would write it. Undefined if the form was sent without its field. */
export function readAnswer({ content }: Response, question: InputRequest): string | undefined {
  if (!content) return undefined;
  if (toFields(question)) return JSON.stringify(content);
  const { answer } = content;
  return answer === undefined || typeof answer === 'string' ? answer : JSON.stringify(answer);
}
