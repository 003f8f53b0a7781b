// The environment variables that the stack sets on its functions: each name once, set by the construct that
// owns the resource.

export type EnvName =
  | 'TENANT_ID'
  | 'GATEWAY_URL'
  | 'OTHER_ADDRESSES'
  | 'CONTROL_TABLE'
  | 'RUNS_TABLE'
  | 'FILES_BUCKET'
  | 'FLOW_KEY_ID'
  | 'SIGNING_KEY_ID'
  | 'SIGNING_KEY_ID_OTHER'
  | 'CURSOR_KEY_ID'
  | 'RUN_QUEUE_URL'
  | 'RUN_DEAD_LETTER_QUEUE_URL'
  | 'DELIVERY_QUEUE_URL'
  | 'CODE_FUNCTION_NAME'
  | 'CARD_SIGNER_NAME'
  | 'RUN_LIMIT_SECONDS'
  | 'BACKGROUND_LIMIT_SECONDS'
  | 'RUN_RETENTION_DAYS'
  | 'CANCEL_ON_DISCONNECT'
  | 'LIMITS'
  | 'AUDIT_RETENTION_DAYS'
  | 'MODELS'
  | 'MODEL_DEFAULT'
  | 'MODEL_SECRETS_PREFIX'
  | 'EGRESS_ALLOW_PRIVATE'
  | 'BROWSER_ORIGINS'
  | 'ROOT_AGENT'
  | 'CONNECTOR_SEARCH_TOOLS'
  | 'CATALOG_PUBLISHER'
  | 'CATALOG_NAME'
  | 'SIGN_IN_ISSUER'
  | 'SIGN_IN_CLIENT_ID'
  | 'SIGN_IN_CLIENT_SECRET'
  | 'SIGN_IN_EMAIL_DOMAINS'
  | 'SIGN_IN_USER_POOL_ID';

/** Read when used, not when imported, so that importing a module never depends on the environment. */
export function requireEnv(name: EnvName): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

export function optionalEnv(name: EnvName): string | undefined {
  return process.env[name] || undefined;
}
