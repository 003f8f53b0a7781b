// Which inference profile of Amazon Bedrock a model id names, and what of a tenant file cannot work with the models of its
// region. Synth cannot ask AWS what a region has, so it refuses only what no region has, and warns of what few have.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
import type { ModelCatalog, ModelEntry } from '#lib/model/catalog.ts';

/** From which regions the profiles of a geography may be called: from more than today, so that no later one is refused. */
const callerRegions: Readonly<Record<string, RegExp>> = {
  global: /^(?!us-gov-|cn-)/,
  'us-gov': /^us-gov-/,
  us: /^(us-(?!gov-)|ca-|mx-|sa-)/,
  eu: /^(eu|il|me|af)-/,
  apac: /^(ap|me)-/,
  au: /^ap-southeast-/,
  ca: /^ca-/,
  jp: /^ap-northeast-/,
};
/** An id such as `eu.anthropic.…` is an inference profile, which routes to `anthropic.…` in a region of its geography. */
const profileId = new RegExp(`^(?<geography>${Object.keys(callerRegions).join('|')})\\.(?<model>.+)$`);

/** The model to which a profile routes; undefined for the id of a model. */
export function routedModel(id: string): string | undefined {
  return profileId.exec(id)?.groups?.model;
}

/** The regions that have the models Nova of Amazon themselves, not only through profiles. */
const regionsWithNova = ['us-east-1', 'us-gov-west-1'];
const geographies: Readonly<Record<string, string>> = { us: 'us', eu: 'eu', ap: 'apac', ca: 'ca' };

/** The id by which a model such as `amazon.nova-lite-v1:0` is called in a region; undefined where no profile is known. */
export function proposeId(model: string, region: string): string | undefined {
  if (region.startsWith('us-gov-')) return model;
  const geography = geographies[region.slice(0, 2)];
  return geography && `${geography}.${model}`;
}

interface RegionalModels {
  /** Without it, that of the environment of the deployment: then only models with a region of their own are checked. */
  readonly region?: string | undefined;
  readonly models: ModelCatalog;
}

/** Throws the first setting with which every call of a model would fail; the error begins with `source`. */
export function refuseModels({ region, models }: RegionalModels, source: string): void {
  for (const [name, entry] of Object.entries(models)) {
    const mistake = entry.provider === 'bedrock' && findMistake(entry, region);
    if (mistake) throw new Error(`${source}: models.${name}.${mistake}.`);
  }
}

function findMistake({ model, region: own }: Bedrock, ofTenant: string | undefined): string | undefined {
  if (model.startsWith('arn:'))
    return 'model: must be the id of a model or of an inference profile, not an ARN';
  const region = own ?? ofTenant;
  if (region === undefined) return undefined;
  if (ofTenant !== undefined && partition(region) !== partition(ofTenant))
    return `region: must be one that takes the credentials of ${ofTenant}, which ${region} does not`;
  const geography = profileId.exec(model)?.groups?.geography;
  if (geography === undefined || callerRegions[geography]?.test(region)) return undefined;
  return `model: inference profiles that begin with "${geography}." cannot be called in ${region}; ${howToList(region)}`;
}

/** Texts about models that the region of the tenant may not have by that id. */
export function listModelWarnings({ region: ofTenant, models }: RegionalModels): readonly string[] {
  return Object.entries(models).flatMap(([name, entry]) => {
    const region = entry.provider === 'bedrock' ? (entry.region ?? ofTenant) : undefined;
    if (region === undefined || !entry.model.startsWith('amazon.nova-') || regionsWithNova.includes(region))
      return [];
    const proposal = proposeId(entry.model, region);
    const profile = proposal ? `an inference profile such as "${proposal}"` : 'an inference profile';
    return `models.${name}.model: ${region} may have ${entry.model} only by ${profile}; ${howToList(region)}.`;
  });
}

const howToList = (region: string) =>
  `\`aws bedrock list-inference-profiles --region ${region}\` lists the profiles there`;

type Bedrock = Extract<ModelEntry, { provider: 'bedrock' }>;

/**
 * Credentials of one partition are not valid in another. By the prefix, as in the SDK, since a list of regions would lack
 * new ones, and that of the CDK takes 100 ms to import.
 */
const partition = (region: string): string =>
  /^(cn|eusc|us-gov|[a-z]{2}-iso[a-z]?)-/.exec(region)?.[1] ?? 'aws';
