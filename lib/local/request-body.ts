// Reads a request within the limits of API Gateway.
import type { IncomingMessage } from 'node:http';
import { awsLimits } from '#lib/aws-limits.ts';
import { GatewayError } from './gateway-error.ts';

/** Quotas of a REST API: payload 10 MB, request line and headers together 10,240 bytes. */
const { gatewayBodyBytes: bodyBytesMax, gatewayHeaderBytes: headerBytesMax } = awsLimits;

export function checkHeaders(request: IncomingMessage): void {
  const line = `${request.method} ${request.url} HTTP/1.1`.length;
  const headers = request.rawHeaders.reduce((sum, part) => sum + Buffer.byteLength(part) + 2, 0);
  if (line + headers > headerBytesMax) throw new GatewayError('HEADERS_TOO_LARGE');
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax)
    throw new GatewayError('REQUEST_TOO_LARGE');
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The request stays open when the limit is exceeded, so that the client can read the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bodyBytesMax) break;
    }
  } catch (cause) {
    throw new GatewayError('CLIENT_LEFT', cause);
  }
  if (length > bodyBytesMax) throw new GatewayError('REQUEST_TOO_LARGE');
  return Buffer.concat(chunks);
}
