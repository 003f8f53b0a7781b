// The configuration of all AWS clients: endpoints and region come from the environment, time and retries are
// bounded. It also decides which failures of AWS are transient.
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { cancellationReasons } from '#lib/aws-errors.ts';
import { awsHttp } from './aws-http.ts';
import { Sha256 } from './sha256.ts';

/**
 * A hanging call is cut after 3 s and tried 3 times in all (the SDK backs off with jitter), so a dead
 * dependency costs about 10 s. Connecting may take all of that time: in a process that is busy for a second,
 * a shorter limit passes before the open connection is noticed.
 */
export const clientConfig = {
  sha256: Sha256,
  maxAttempts: 3,
  requestHandler: awsHttp(3_000),
} as const;

/** For calls that a caller waits for: the webhook promises an answer within 3 s. */
export const lowLatencyClientConfig = {
  sha256: Sha256,
  maxAttempts: 2,
  requestHandler: awsHttp(1_000),
} as const;

/**
 * For clients of few commands that nobody adds middleware to: what a client does for a command is put
 * together once, not at each call, which takes a tenth off the call's CPU time. The DynamoDB document client
 * refuses it; `prepared-commands.ts` does the same for it.
 */
export const preparedCommands = { cacheMiddleware: true } as const;

/**
 * What the SDK does at each call and no call of ours needs: a header with the version of the SDK, and a log that is not
 * set.
 */
export const unneededMiddleware = ['getUserAgentMiddleware', 'loggerMiddleware'] as const;

type SerdeConfig = Parameters<typeof getSchemaSerdePlugin>[0];
interface SerdeClient {
  readonly config: SerdeConfig;
  readonly middlewareStack: { readonly use: (plugin: ReturnType<typeof getSchemaSerdePlugin>) => void };
}

/**
 * Lets a client write requests and read answers with that part of its configuration which they need. The SDK copies the
 * whole of it for each request and for each answer, which takes a tenth of the CPU time of a call.
 */
export function keepSerdeConfig<C extends SerdeClient>(client: C): C {
  const { protocol, requestHandler, disableHostPrefix, urlParser, streamCollector } = client.config;
  const { base64Encoder, base64Decoder, utf8Encoder, utf8Decoder } = client.config;
  client.middlewareStack.use(
    getSchemaSerdePlugin({
      protocol,
      requestHandler,
      disableHostPrefix,
      urlParser,
      streamCollector,
      base64Encoder,
      base64Decoder,
      utf8Encoder,
      utf8Decoder,
    }),
  );
  return client;
}

/** Of any service. The scheme is that of an endpoint which says how to sign. */
interface SigningClient {
  readonly config: { signer: (scheme?: never) => Promise<unknown> };
}

/**
 * Lets a client sign its requests with one signer. The SDK makes one for each request, from a copy of the whole
 * configuration. With a scheme it still makes another one.
 */
export function keepSigner<C extends SigningClient>(client: C): C {
  const { config }: SigningClient = client;
  const makeSigner = config.signer;
  let kept: Promise<unknown> | undefined;
  config.signer = async (scheme) => {
    if (scheme) return await makeSigner(scheme);
    kept ??= makeSigner();
    try {
      return await kept;
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
  return client;
}

/**
 * The names of errors, and of the reasons of a canceled transaction, which DynamoDB names alike
 * (`ThrottlingError`, `TransactionConflict`).
 */
const transientNames =
  /TransactionConflict|TransactionInProgress|Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|Timeout|InternalServer|InternalFailure|ServiceUnavailable|KMSInternal|DependencyTimeout/;
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);

/**
 * True when the same call may succeed later: conflicts, throttling, time-outs, 5xx, no connection. A canceled
 * transaction is transient when all its reasons are. Judged by the shape of SDK errors.
 */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const reasons = cancellationReasons(error)?.filter(({ code }) => code !== 'None');
  if (reasons) return reasons.length > 0 && reasons.every(({ code }) => transientNames.test(code));
  if (transientNames.test(error.name)) return true;
  if ('code' in error && networkCodes.has(String(error.code))) return true;
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  return typeof status === 'number' && status >= 500;
}
