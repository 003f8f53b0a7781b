// Parses the body of a request to the connector, within the limits that all JSON of callers has. The SDK checks the
// message itself.
import { faultIn } from '#lib/json/guard.ts';
import { readJsonText } from '#lib/json/parse.ts';

export type JsonRpcId = string | number | null;

type Parsed = { readonly value: object; readonly id: JsonRpcId } | { readonly refusal: string };

export function parseMessage(body: string): Parsed {
  const read = readJsonText(body);
  if (!read.isJson) return refuse(-32700, `The body is not JSON: ${read.reason}.`);
  const { value } = read;
  const fault = faultIn(value);
  if (fault) return refuse(-32600, `The member /${fault.path.join('/')} of the message ${fault.detail}.`);
  // Batches were removed in revision 2025-06-18. One would count as one request, whatever it holds.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(-32600, 'The body must be one JSON-RPC message, not a batch or another value.');
  const id = readId(value);
  if (typeof id === 'string' && id.length > idLengthMax)
    return refuse(-32600, `The member /id of the message must have at most ${idLengthMax} characters.`);
  return { value, id };
}

/** Each response repeats it, also that to an invalid request. */
const idLengthMax = 1_024;

function readId(value: object): JsonRpcId {
  const id: unknown = 'id' in value ? value.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const refuse = (code: number, message: string) => ({
  refusal: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }),
});
