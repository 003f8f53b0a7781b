// At which addresses a tenant is served, by its file. The first one is in the URLs of cards, tokens and mails; the others
// stay on for those who have them (docs/decisions/0074-former-addresses.md).
import * as z from 'zod';
import { domain } from './domain.ts';

/** Members of the tenant file. */
export const addressSettings = {
  /** Part of every URL unless there is a domain: `https://….amazonaws.com/main/api/v1/…`. */
  stageName: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be 1 to 30 lower-case letters, digits and hyphens')
    .default('main'),
  customDomain: domain.optional(),
  /** In place of `customDomain`, which is the same as a list of it with `formerly`. */
  domains: z
    .array(domain.safeExtend({ formerly: z.literal('customDomain').optional() }))
    .min(1)
    .max(5)
    .optional(),
  /** A stage whose address at API Gateway stays on, although the tenant has a domain or another stage now. */
  formerStage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be 1 to 30 lower-case letters, digits and hyphens')
    .optional(),
};

const settings = z.object(addressSettings);
export type AddressSettings = z.output<typeof settings>;

/** A domain, and whether its resources are those that `customDomain` has. All others are named after the domain. */
export type Domain = z.output<typeof domain> & { readonly formerly?: 'customDomain' | undefined };

export const domainsOf = ({ customDomain, domains }: AddressSettings): readonly Domain[] =>
  domains ?? (customDomain ? [{ ...customDomain, formerly: 'customDomain' }] : []);

/** The stages at whose addresses of API Gateway the tenant is served. */
export const servedStages = (settings: AddressSettings): readonly string[] => [
  ...(domainsOf(settings).length === 0 ? [settings.stageName] : []),
  ...(settings.formerStage === undefined ? [] : [settings.formerStage]),
];

/** The stage that is made beside that of `stageName`. */
export const extraStage = ({ stageName, formerStage }: AddressSettings): string | undefined =>
  formerStage === stageName ? undefined : formerStage;

interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export function findAddressMistakes(
  given: AddressSettings & { readonly firewall?: unknown },
): readonly Mistake[] {
  const { customDomain, domains = [], formerStage, firewall } = given;
  const names = domains.map(({ domainName }) => domainName);
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  const kept = domains.flatMap(({ formerly }, index) => (formerly ? [index] : []));
  const hasDomain = domainsOf(given).length > 0;
  return [
    customDomain && given.domains
      ? at(
          ['domains'],
          'must not be given with customDomain: move that into the list, with "formerly": "customDomain"',
        )
      : [],
    repeated >= 0 ? at(['domains', repeated, 'domainName'], 'must not be in the list twice') : [],
    kept.length > 1 ? at(['domains', kept[1] ?? 0, 'formerly'], 'must be on one domain only') : [],
    !hasDomain && formerStage === given.stageName
      ? at(['formerStage'], 'must be another stage than stageName, unless there is a domain')
      : [],
    firewall && extraStage(given) !== undefined
      ? at(
          ['formerStage'],
          'must be stageName while there is a firewall, whose web ACL would leave one of two stages when they change; move to a domain',
        )
      : [],
  ].flat();
}

const at = (path: Mistake['path'], message: string): Mistake[] => [{ path, message }];

/** What a deployed stack says of its addresses, in its outputs. */
export interface DeployedAddresses {
  readonly GatewayUrl?: string | undefined;
  readonly OtherAddresses?: string | undefined;
  readonly CustomDomainName?: string | undefined;
  readonly CustomDomainTarget?: string | undefined;
}

/**
 * Why the file must not be deployed over the stack, in words; undefined if nothing speaks against it. `abandons` when
 * the operator gives the address up.
 */
export function refuseAddresses(
  settings: AddressSettings,
  deployed: DeployedAddresses,
  { abandons }: { readonly abandons: boolean },
): string | undefined {
  const { GatewayUrl = '', OtherAddresses = '' } = deployed;
  if (!URL.canParse(GatewayUrl)) return undefined;
  const url = new URL(GatewayUrl);
  if (!abandons && !isServed(settings, url)) return describeLoss(url);
  const original = deployed.CustomDomainName ?? (deployed.CustomDomainTarget && url.hostname);
  const known = new Set(
    [url, ...OtherAddresses.split(',').flatMap(parseUrl)].map(({ hostname }) => hostname),
  );
  const wrong = domainsOf(settings).find(
    ({ domainName, formerly }) =>
      known.has(domainName) && (formerly === 'customDomain') !== (domainName === original),
  );
  if (!wrong) return undefined;
  return wrong.formerly
    ? `${wrong.domainName} was not made by customDomain, so "formerly" would replace what serves it: remove that member of domains.`
    : `${wrong.domainName} was made by customDomain: give it "formerly": "customDomain" in domains, so that what serves it stays.`;
}

const parseUrl = (text: string): URL[] => (URL.canParse(text) ? [new URL(text)] : []);
const gatewayHost = /\.execute-api\./;

function isServed(settings: AddressSettings, { hostname, pathname }: URL): boolean {
  if (gatewayHost.test(hostname)) return servedStages(settings).includes(pathname.split('/')[1] ?? '');
  return domainsOf(settings).some(({ domainName }) => domainName === hostname);
}

function describeLoss({ hostname, pathname, href }: URL): string {
  const keep = gatewayHost.test(hostname)
    ? `"formerStage": "${pathname.split('/')[1]}"`
    : `${hostname} in "domains", after the new one`;
  return [
    `Agent Cards, webhooks and clients have ${href.replace(/\/$/, '')}, where nothing would be served any more.`,
    `Keep it for a while with ${keep}: docs/operations.md, "Change the address". With --abandon-address it is given up.`,
  ].join('\n');
}
