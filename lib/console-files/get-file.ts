// Serves the web console: its document for every page, and the files that the document loads, which the build has
// compressed and named after their content.
import { atFirstAddress, findAddress } from '#lib/arrival.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import { digestHeaders, notModified } from '#lib/http/conditional.ts';
import type { Request } from '#lib/http/request.ts';
import { readConsoleFile } from './read-file.ts';
import { documentHeaders } from './security-headers.ts';

type FileRequest = Pick<Request, 'address' | 'subpath' | 'method' | 'headers' | 'arrival' | 'rawQuery'>;

export async function getFile(request: FileRequest): Promise<Answer<string>> {
  const { address, subpath } = request;
  if (address === 'root') return redirect(`${basePath()}/console`);
  if (isFile(subpath)) return await answerFile(request);
  // What the console changes must come from there (`own-page-step.ts`).
  if (findAddress(request.arrival) !== requireEnv('GATEWAY_URL'))
    return redirect(atFirstAddress(subpath === '' ? '/console' : `/console/${subpath}`, request.rawQuery));
  return await answerDocument(request);
}

/** The pages of the console are one document; a name with a dot is that of a file, unless it is that of an agent. */
const isFile = (subpath: string): boolean => subpath.includes('.') && !subpath.startsWith('agents/');

/** The part of the address before the paths of the route table: that of a stage, or nothing. */
const basePath = (): string => new URL(requireEnv('GATEWAY_URL')).pathname.replace(/\/$/, '');

const html = 'text/html; charset=utf-8';

const redirect = (location: string): Answer<string> => ({
  text: '',
  contentType: html,
  status: 302,
  headers: { ...documentHeaders(), location },
});

async function answerDocument({ method, headers }: FileRequest): Promise<Answer<string>> {
  const template = await readConsoleFile('index.html', undefined);
  if (!template) throw notFound();
  const text = template.bytes.toString().replace('{{base}}', `${basePath()}/console/`);
  const kept = { ...documentHeaders(), ...digestHeaders(text), 'cache-control': 'no-cache' };
  const unchanged = notModified(headers, kept);
  return unchanged ?? { text: method === 'HEAD' ? '' : text, contentType: html, headers: kept };
}

/** A file of another name has another content, so browsers need not ask again. */
async function answerFile({ method, headers, subpath }: FileRequest): Promise<Answer<string>> {
  const file = /^assets\/[\w-]+\.[\w.-]+$/.test(subpath)
    ? await readConsoleFile(subpath, headers['accept-encoding'])
    : undefined;
  if (!file) throw notFound();
  return {
    bytes: method === 'HEAD' ? Buffer.alloc(0) : file.bytes,
    contentType: file.contentType,
    headers: {
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      ...(file.encoding && { 'content-encoding': file.encoding }),
    },
  };
}

const notFound = () => new ServiceError('route_not_found', { detail: 'The console has no such file.' });
