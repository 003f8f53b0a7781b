// The body that stores a connection: from a file, or from options with a secret that is asked for.

import { wrongUsage } from '../command-failure.ts';
import { readDocument } from '../read-document.ts';
import { readSecret } from '../read-secret.ts';
import type { Body } from './operations.ts';

interface Given {
  readonly file: string | undefined;
  readonly hosts: readonly string[];
  readonly header: string | undefined;
  readonly scope: 'organization' | 'user';
}

/** The service checks the body, whose types are those of its schema. */
export async function readConnection({ file, hosts, header, scope }: Given): Promise<Body<'putConnection'>> {
  if (file !== undefined) {
    const { value } = await readDocument(file);
    return { scope, ...Object(value) };
  }
  if (hosts.length === 0)
    throw wrongUsage('Expected --host <host>, to which the credential may be sent, or --file <file>.');
  const secret = await readSecret('The credential');
  const head = { scope, hosts: [...hosts] };
  if (header === undefined) return { type: 'http_bearer', ...head, credential: { token: secret } };
  return { type: 'http_header', ...head, credential: { header, value: secret } };
}
