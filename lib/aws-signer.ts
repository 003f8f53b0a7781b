// Signature Version 4 for requests that are sent without a client of the AWS SDK.
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from './sha256.ts';

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials, as functions and assumed roles have them. */
  readonly sessionToken?: string | undefined;
}

export interface SigningScope {
  readonly region: string;
  /** As in the credential scope, such as `s3`, `execute-api` or `lambda`. */
  readonly service: string;
}

export const createSigner = (
  { accessKeyId, secretAccessKey, sessionToken }: SigningKeys,
  scope: SigningScope,
): SignatureV4 =>
  new SignatureV4({
    ...scope,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    // S3 takes the path as it is sent, the other services encode it once more.
    uriEscapePath: scope.service !== 's3',
  });

/** RFC 3986 §2.3: all but unreserved characters, as AWS computes signatures over paths and queries. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
