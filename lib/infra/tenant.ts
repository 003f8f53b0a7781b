// The configuration of a tenant: the schema of `tenants/*.json`, and how synth reads these files.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { flowid, registryId } from '#lib/ids.ts';
import { limits } from '#lib/limits/tenant-limits.ts';
import { modelCatalogSchema } from '#lib/model/catalog.ts';
import { runLimitSecondsMax } from '#lib/run/lease-times.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { addressSettings, findAddressMistakes } from './addresses.ts';
import { firewall } from './firewall.ts';
import { refuseModels } from './inference-profiles.ts';
import { type Cognito, isReservedPrefix, signIn } from './sign-in.ts';
import { storageStackName, tenantStackName } from './stack-names.ts';
import { tags } from './tags.ts';

/** The retention times in days that CloudWatch Logs accepts. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
/** Lambda allows 4 KB for all variables of a function; the rest is enough for the others. */
const modelBytesMax = 2_500;
const originBytesMax = 400;

const tableName = z
  .string()
  .regex(/^[\w.-]{3,255}$/, 'must be the name of a DynamoDB table of the account and region of the tenant');

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost'));
}

const lacksPrefix = (id: string, { domainPrefix, customDomain }: Cognito): boolean =>
  domainPrefix === undefined && customDomain === undefined && isReservedPrefix(id);

const tenantSchema = z
  .strictObject({
    id: z
      .string()
      .regex(
        /^[a-z][a-z0-9-]{0,29}$/,
        'must be 1 to 30 lower-case letters, digits and hyphens, beginning with a letter',
      ),
    account: z
      .string()
      .regex(/^\d{12}$/, 'must be the 12 digits of an AWS account')
      .optional(),
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region such as eu-central-1')
      .optional(),
    ...addressSettings,
    /** The maximum time of a synchronous run. */
    runLimitSeconds: z.int().min(120).max(runLimitSecondsMax).default(145),
    /** The maximum number of concurrent workers, each with one queued run; Lambda accepts 2 to 1000. */
    workerConcurrency: z.int().min(2).max(1_000).default(100),
    /** The maximum time of a background run. */
    backgroundLimitSeconds: z.int().min(60).max(86_400).default(2_700),
    /** Whether a synchronous run is canceled when its caller disconnects. */
    cancelOnDisconnect: z.boolean().default(true),
    /** How many days runs and their logs are kept. */
    runRetentionDays: z.int().min(2).max(3_650).default(30),
    models: modelCatalogSchema,
    modelDefault: z.string(),
    logRetentionDays: z
      .int()
      .refine((days) => retentionDays.includes(days), `must be one of ${retentionDays.join(', ')}`)
      .default(30),
    /** How many days new audit records are kept: from one month to ten years. */
    auditRetentionDays: z.int().min(30).max(3653).default(365),
    alarmEmail: z.email().optional(),
    /**
     * The percentage of requests that shall not fail with a 5xx, in 30 days. Below 95, the rate that the alarms look for
     * would be more than all requests.
     */
    availabilityTarget: z.number().min(95).max(99.99).default(99.9),
    /** Tags of everything that the stack creates, beside `tenant` and `service`. */
    tags: tags.default({}),
    /** A dashboard of CloudWatch; beyond three in an account, each has a monthly price. */
    dashboard: z.boolean().default(true),
    /**
     * With which identity provider people sign in; without it nobody can. Where the provider is not Cognito,
     * `<gateway URL>/auth/callback` must be registered there as redirect URI of the client.
     */
    signIn: signIn.optional(),
    throttle: z
      .strictObject({ rate: z.int().min(1), burst: z.int().min(1) })
      .default({ rate: 100, burst: 200 }),
    /** Whether updates of the functions that run flows take over traffic step by step, and are undone if these fail. */
    gradualUpdates: z.boolean().default(false),
    /** How many requests X-Ray traces: so many of each second, and this share of the others. */
    traceSampling: z
      .strictObject({ perSecond: z.int().min(0).max(1_000), share: z.number().min(0).max(1) })
      .optional(),
    /** Puts a web ACL of AWS WAF in front of the gateway. */
    firewall: firewall.optional(),
    /**
     * The reserved concurrency of each function that holds a caller while a run takes place. By default they share
     * that of the account, of which a new account has too little to reserve any.
     */
    callerConcurrency: z.int().min(1).max(10_000).optional(),
    /**
     * Whether functions that need much the same permissions share a role, or each has its own with exactly what it needs.
     * An account has 1,000 roles, unless AWS raises the quota.
     */
    functionRoles: z.enum(['shared', 'own']).default('shared'),
    /** The tables that are used in place of those of the stack, after `npm run restore`. */
    tables: z.strictObject({ control: tableName, runs: tableName }).optional(),
    /**
     * Whether tables, keys, the bucket and the user pool are in a stack of their own. It is decided when the tenant is
     * created: `storage-guard.ts` refuses to change it.
     */
    storageStack: z.boolean().default(false),
    /** Overrides the defaults of `lib/limits/tenant-limits.ts`. */
    limits: limits.optional(),
    /**
     * The key that signs, and while keys are rotated a second one that is accepted: `own`, the key of the
     * stack, or the ARN of a KMS key.
     */
    signingKeys: z
      .array(
        z
          .string()
          .regex(
            /^(own|arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)$/,
            'must be "own" or the ARN of a KMS key',
          ),
      )
      .min(1)
      .max(2)
      .refine((keys) => new Set(keys).size === keys.length, 'must name different keys')
      .optional(),
    /** The origins whose pages may call agents from a browser (CORS), such as `https://app.example.com`. */
    browserOrigins: z
      .array(
        z
          .string()
          .max(253)
          .refine(isOrigin, 'must be an origin such as https://app.example.com; http only on localhost'),
      )
      .refine(
        (origins) => origins.join().length <= originBytesMax,
        `must be at most ${originBytesMax} bytes together`,
      )
      .default([]),
    /** The agent whose card is at the root, `/.well-known/agent-card.json`: a flowid or a registry id. */
    rootAgent: z.union([registryId, flowid], { error: 'must be a flowid or a registry id' }).optional(),
    /** Offers the tools `search` and `fetch` of the connector too, for ChatGPT accounts that take no other ones. */
    connectorSearchTools: z.boolean().default(false),
    /**
     * Publishes the list of live public agents of all organisations at `/.well-known/ai-catalog.json`, under the name of
     * a domain that the publisher controls.
     */
    catalog: z
      .strictObject({
        publisher: z
          .string()
          .max(253)
          .regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a domain of yours, such as example.com'),
        name: z.string().trim().min(1).max(100).optional(),
      })
      .optional(),
    /**
     * Private addresses (`host:port`) that flows may reach. Only for the local host; deployed stacks refuse
     * it.
     */
    egressAllowPrivate: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ id, signIn }) => !(signIn && 'cognito' in signIn && lacksPrefix(id, signIn.cognito)), {
    path: ['signIn', 'cognito', 'domainPrefix'],
    error: 'must be given, because the id of the tenant contains "aws", "amazon" or "cognito"',
  })
  .refine(({ models, modelDefault }) => Object.hasOwn(models, modelDefault), {
    path: ['modelDefault'],
    error: 'must be a name in models',
  })
  .refine(({ models }) => JSON.stringify(models).length <= modelBytesMax, {
    path: ['models'],
    error: `must be at most ${modelBytesMax} bytes of JSON`,
  })
  .check(({ value, issues }) => {
    for (const { path, message } of findAddressMistakes(value))
      issues.push({ code: 'custom', path: [...path], message, input: value });
  });

export type TenantInput = z.input<typeof tenantSchema>;
export type Tenant = z.output<typeof tenantSchema>;

/** Reads every tenant of a folder, in the order of their file names. */
export function loadTenants(folder: string): readonly Tenant[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (files.length === 0) throw new Error(`${folder}: expected at least one tenant file, such as demo.json.`);
  const tenants = files.map((name) => loadTenant(join(folder, name)));
  refuseSimilarStacks(tenants, folder);
  return tenants;
}

/** The template of a stack is a file named after it, and disks that ignore case have one for both. */
function refuseSimilarStacks(tenants: readonly Tenant[], folder: string): void {
  const ids = new Set(tenants.map(({ id }) => id));
  for (const { id, storageStack } of tenants) {
    const other = `${id}-storage`;
    if (!storageStack || !ids.has(other)) continue;
    throw new Error(
      `${join(folder, `${other}.json`)}: id: the stacks ${tenantStackName(other)} and ${storageStackName(id)} would differ in upper case only, and so would their files in cdk.out. Choose another id for the newer tenant.`,
    );
  }
}

function loadTenant(file: string): Tenant {
  const tenant = parseTenant(readJson(file), file);
  if (`${tenant.id}.json` !== basename(file))
    throw new Error(`${file}: id: must be the name of the file, so that no two tenants share one.`);
  if (tenant.egressAllowPrivate)
    throw new Error(`${file}: egressAllowPrivate: is only for local use; remove it.`);
  if (tenant.signIn && 'issuer' in tenant.signIn && !tenant.signIn.issuer.startsWith('https:'))
    throw new Error(`${file}: signIn.issuer: must be an https URL.`);
  for (const [name, entry] of Object.entries(tenant.models)) {
    if (entry.provider !== 'openai-compatible' || entry.base_url.startsWith('https:')) continue;
    throw new Error(`${file}: models.${name}.base_url: must be an https URL.`);
  }
  refuseModels(tenant, file);
  return tenant;
}

/** Errors begin with `source`. */
export function parseTenant(input: unknown, source: string): Tenant {
  const parsed = tenantSchema.safeParse(input, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const mistakes = [...describeIssues(parsed.error.issues)].map(
    ({ path, detail }) => `${source}: ${path.join('.') || 'the file'}: ${detail}`,
  );
  throw new Error(mistakes.join('\n'));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file}: must be readable JSON: ${why}`, { cause });
  }
}
