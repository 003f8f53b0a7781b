// The OpenAPI document as the fuzzer reads it: a list of operations, and validators of JSON Schema 2020-12
// that are not ours.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod';

const parameter = z.looseObject({
  in: z.enum(['path', 'query', 'header']),
  name: z.string(),
  required: z.boolean().default(false),
  schema: z.record(z.string(), z.unknown()),
});
export type Parameter = z.infer<typeof parameter>;

const mediaType = z.looseObject({
  schema: z.record(z.string(), z.unknown()).default({}),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.unknown()).optional(),
});
const response = z.looseObject({
  $ref: z.string().optional(),
  content: z.record(z.string(), mediaType).optional(),
});
const responses = z.record(z.string(), response);
type Responses = z.infer<typeof responses>;
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).default([]),
  description: z.string().default(''),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), mediaType) }).optional(),
  responses,
});
const openapi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z
    .looseObject({
      schemas: z.record(z.string(), z.unknown()).default({}),
      responses: responses.default({}),
    })
    .default({ schemas: {}, responses: {} }),
});

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As the document has it, such as `/flows/{id}`. */
  readonly path: string;
  /** The methods that the path has. */
  readonly allowed: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: Schema; readonly example: unknown } | undefined;
  /** A protocol inside, whose errors have the status 200. */
  readonly isJsonRpc: boolean;
  /** Errors of the HTTP layer are JSON-RPC errors too, with problem details as their data. */
  readonly hasJsonRpcProblems: boolean;
  /** Errors have the form of RFC 6749 §5.2, or are pages. */
  readonly isOAuth: boolean;
  /** A2A and OAuth (RFC 6749 §3.1) have operations ignore query parameters that they do not know; the others refuse them. */
  readonly ignoresUnknownParameters: boolean;
  /** Names of security schemes; empty for an operation without credentials. */
  readonly credentials: readonly string[];
  readonly needsPermission: boolean;
  /** Whether it is served without a credential too. */
  readonly isOpen: boolean;
  readonly responses: Readonly<Responses>;
}

export type Schema = Readonly<Record<string, unknown>>;

export interface ApiDocument {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, unknown>>;
  /** The mistakes of a value as a sentence; undefined for a valid one. */
  readonly mistakeIn: (schema: Schema, value: unknown) => string | undefined;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** `bodySchemas` describes bodies, by operation, that the document leaves to another specification. */
export function readApiDocument(
  source: unknown,
  bodySchemas: Readonly<Record<string, Schema>> = {},
): ApiDocument {
  const { paths, components } = openapi.parse(source);
  const { schemas, responses: shared } = components;
  // The HTTP+JSON binding of A2A answers errors in a form of its own, which test/protocol checks.
  const own = Object.entries(paths).filter(([path]) => !path.includes('/rest/'));
  const operations = own.flatMap(([path, item]) => {
    const found = methods.filter((method) => method in item);
    const allowed = found.map((method) => method.toUpperCase());
    return found.map((method) => {
      const described = operation.parse(item[method]);
      const responses = resolveReferences(described.responses, shared);
      return readOperation(path, method, allowed, { ...described, responses }, bodySchemas);
    });
  });
  return { operations, schemas, mistakeIn: validator(schemas) };
}

/** `#/components/responses/{name}` becomes the response of that name. */
const resolveReferences = (responses: Responses, shared: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, given]) => [
      status,
      given.$ref === undefined ? given : response.parse(shared[given.$ref.split('/').at(-1) ?? '']),
    ]),
  );

function readOperation(
  path: string,
  method: string,
  allowed: readonly string[],
  { operationId, tags, description, security, parameters, requestBody, responses }: z.infer<typeof operation>,
  bodySchemas: Readonly<Record<string, Schema>>,
): Operation {
  const body = requestBody?.content['application/json'];
  const closer = bodySchemas[operationId];
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    allowed,
    parameters,
    ...(body && { body: { schema: closer ?? body.schema, example: body.example } }),
    isJsonRpc: closer !== undefined && JSON.stringify(closer).includes('jsonrpc'),
    hasJsonRpcProblems: !isOAuth(path) && responses[401]?.content?.['application/json'] !== undefined,
    isOAuth: isOAuth(path),
    ignoresUnknownParameters: tags.includes('A2A') || isOAuth(path),
    credentials: security.flatMap((scheme) => Object.keys(scheme)),
    needsPermission: description.includes('Needs the permission `'),
    isOpen: security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0),
    responses,
  };
}

const documentId = 'urn:test:openapi';

function validator(schemas: Readonly<Record<string, unknown>>): ApiDocument['mistakeIn'] {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: documentId, components: { schemas } });
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile(withAbsoluteReferences(schema));
    compiled.set(schema, check);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  };
}

/** `#/components/…` means the document, also in a schema that was taken out of it. */
function withAbsoluteReferences(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${documentId}#/`);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

/** An endpoint of the authorization server. */
const isOAuth = (path: string): boolean => path.startsWith('/oauth/');
