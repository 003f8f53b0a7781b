// `signIn` in a tenant file: with which identity provider people sign in. `user-pool.ts` creates what `cognito` asks for.
import * as z from 'zod';

const secretRef = z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, "_" or "-"');
const hostName = z
  .string()
  .max(253)
  .regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a host name such as example.com');
const httpsUrl = z
  .url()
  .max(500)
  .refine((url) => url.startsWith('https:'), 'must be an https URL');

/** Lambda allows 4 KB for all variables of a function. */
const domainBytesMax = 1_000;
const providersMax = 20;

/**
 * The provider answers for the addresses of its users that are in these domains, as the identity system of a company
 * does. Needed where it does not send `email_verified`.
 */
const emailDomains = z.array(hostName).min(1).max(50).optional();

const reservedNames = ['cognito', 'google', 'facebook', 'loginwithamazon', 'signinwithapple'];
const providerName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9-]{2,31}$/,
    'must be 3 to 32 letters, digits and hyphens, beginning with a letter',
  )
  .refine((name) => !reservedNames.includes(name.toLowerCase()), 'is reserved by Cognito; choose another');

const client = { clientId: z.string().min(1).max(200), clientSecretRef: secretRef };

const google = z.strictObject({ type: z.literal('google'), ...client });
const microsoft = z.strictObject({
  type: z.literal('microsoft'),
  name: providerName.default('Microsoft'),
  /** `common` and `organizations` are issuers of any company, so Cognito cannot check `iss`. */
  directoryId: z.guid('must be the directory (tenant) ID of Microsoft Entra'),
  ...client,
  emailDomains,
});
const saml = z.strictObject({
  type: z.literal('saml'),
  name: providerName,
  metadataUrl: httpsUrl,
  emailDomains,
});
const oidc = z.strictObject({
  type: z.literal('oidc'),
  name: providerName,
  issuer: httpsUrl,
  ...client,
  emailDomains,
});

const github =
  'is not possible for "github": it has OAuth 2.0 but not OpenID Connect, which Cognito needs. ' +
  'Use "oidc" with an OpenID Connect bridge to GitHub';
const federated = z.discriminatedUnion('type', [google, microsoft, saml, oidc], {
  error: ({ input }) =>
    Object(input).type === 'github' ? github : 'must be "google", "microsoft", "saml" or "oidc"',
});

const emailSender = z.strictObject({
  /** Such as `Example <sign-in@example.com>`. */
  from: z.string().min(3).max(300),
  sourceArn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:ses:[a-z0-9-]+:\d{12}:identity\/.+$/,
      'must be the ARN of an identity of Amazon SES',
    ),
});

const cognito = z
  .strictObject({
    /** Whether people whom an operator created in the pool sign in by e-mail code or passkey. */
    emailSignIn: z.boolean().default(true),
    domainPrefix: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'must be 1 to 63 lower-case letters, digits and inner hyphens',
      )
      .refine((prefix) => !isReservedPrefix(prefix), 'must not contain "aws", "amazon" or "cognito"')
      .optional(),
    customDomain: z
      .strictObject({
        domainName: hostName,
        certificateArn: z
          .string()
          .regex(/^arn:aws[a-z-]*:acm:us-east-1:/, 'must be the ARN of an ACM certificate in us-east-1'),
      })
      .optional(),
    emailSender: emailSender.optional(),
    /** Another number replaces the client, and with it the secret. */
    clientVersion: z.int().min(1).max(1_000).default(1),
    federation: z.array(federated).max(providersMax).default([]),
  })
  .refine(({ domainPrefix, customDomain }) => !(domainPrefix && customDomain), {
    path: ['domainPrefix'],
    error: 'must not be given with customDomain',
  })
  .refine(({ emailSignIn, federation }) => emailSignIn || federation.length > 0, {
    path: ['federation'],
    error: 'must name a provider when emailSignIn is false, or nobody can sign in',
  })
  .refine(({ emailSignIn, emailSender }) => emailSignIn || !emailSender, {
    path: ['emailSender'],
    error: 'has no use when emailSignIn is false',
  })
  .refine(
    ({ federation }) =>
      new Set(federation.map((each) => nameOf(each).toLowerCase())).size === federation.length,
    {
      path: ['federation'],
      error: 'must have different names',
    },
  )
  .refine(({ federation }) => JSON.stringify(readEmailDomains(federation)).length <= domainBytesMax, {
    path: ['federation'],
    error: `must have emailDomains of at most ${domainBytesMax} bytes together`,
  });

export type Cognito = z.output<typeof cognito>;
export type Federated = z.output<typeof federated>;

/** A client of any OpenID Connect provider, or a user pool that the stack creates. */
export type SignIn =
  | {
      readonly issuer: string;
      readonly clientId: string;
      /** Names the secret `agent-flow/{tenant}/{clientSecretRef}`; without it the client is a public one. */
      readonly clientSecretRef?: string | undefined;
    }
  | { readonly cognito: Cognito };

/** One object instead of a union of two, so that a mistake is reported with its path. */
export const signIn = z
  .strictObject({
    issuer: z.url().max(500).optional(),
    clientId: client.clientId.optional(),
    clientSecretRef: secretRef.optional(),
    cognito: cognito.optional(),
  })
  .transform(({ cognito, issuer, clientId, clientSecretRef }, context): SignIn => {
    const mistake = (path: string, message: string) => {
      context.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    if (cognito) {
      if (issuer === undefined && clientId === undefined && clientSecretRef === undefined) return { cognito };
      return mistake('cognito', 'must not be given with issuer, clientId or clientSecretRef');
    }
    if (issuer === undefined) return mistake('issuer', 'must be given, unless there is cognito');
    if (clientId === undefined) return mistake('clientId', 'must be given with issuer');
    return { issuer, clientId, clientSecretRef };
  });

/** The name of the provider in the pool, which is part of the names of its users. */
export const nameOf = (provider: Federated): string =>
  provider.type === 'google' ? 'Google' : provider.name;

/** By the name of the provider. */
export const readEmailDomains = (federation: readonly Federated[]): Readonly<Record<string, string[]>> =>
  Object.fromEntries(
    federation.flatMap((provider) =>
      'emailDomains' in provider && provider.emailDomains ? [[nameOf(provider), provider.emailDomains]] : [],
    ),
  );

/** Cognito refuses prefixes that contain the name of an AWS service. */
export const isReservedPrefix = (prefix: string): boolean => /aws|amazon|cognito/.test(prefix);
