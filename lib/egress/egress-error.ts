// The errors of the guarded fetch. A message names at most the host: never a path, a query, a header value or
// a body.

export type EgressCode =
  | 'egress.url'
  | 'egress.scheme'
  | 'egress.credentials_in_url'
  | 'egress.private_address'
  | 'egress.host_not_listed'
  | 'egress.redirects'
  | 'egress.downgrade'
  | 'egress.header'
  | 'egress.request'
  | 'egress.too_large'
  | 'egress.encoding'
  | 'egress.response'
  | 'egress.timeout';

export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly code: EgressCode;

  constructor(code: EgressCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
