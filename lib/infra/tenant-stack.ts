// The stack of one tenant, composed of the constructs in the other files of this folder.

import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnOutput, NestedStack, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { guardAddress } from './address-guard.ts';
import { domainsOf } from './addresses.ts';
import { addAlarms } from './alarms.ts';
import { type AuditTrail, addAuditTrail } from './audit-trail.ts';
import { addCardSigner } from './card-signer.ts';
import { addClock } from './clock.ts';
import { addCodeFunction } from './code-function.ts';
import { addConnectorAuthorizer } from './connector-authorizer.ts';
import { addDomains } from './custom-domain.ts';
import { addDashboard } from './dashboard.ts';
import { addFirewall } from './firewall.ts';
import type { FunctionSurroundings } from './function.ts';
import { background as backgroundId } from './function-roles.ts';
import { gatewayUrl, newGateway, otherAddresses } from './gateway.ts';
import { identityProvider } from './identity-provider.ts';
import { usedSigningKeys } from './keys.ts';
import { addMigrations } from './migrations.ts';
import { modelSecrets } from './model-secrets.ts';
import { queues } from './queues.ts';
import type { Resources } from './resources.ts';
import { addRoutes } from './routes.ts';
import { storageStackName } from './stack-names.ts';
import { addStorage, type Storage } from './storage.ts';
import { guardStorage } from './storage-guard.ts';
import { usedTable } from './tables.ts';
import type { Tenant } from './tenant.ts';
import { addTraceSampling } from './trace-sampling.ts';
import { addWorkers } from './workers.ts';

export interface TenantStackOptions extends StackProps {
  readonly tenant: Tenant;
  /** The folder that holds the bundle of an entry. */
  readonly bundle: FunctionSurroundings['bundle'];
  /** For the local host: flows may reach private addresses, and model keys come from the environment. */
  readonly local?: boolean;
  /** What the stack of its own holds, if the tenant has one. */
  readonly storage?: Storage;
  /**
   * For the first deployment: what has deletion protection is created without it, and the stack without termination
   * protection. Neither a rollback nor the next attempt could delete what is protected.
   */
  readonly isFirst?: boolean;
}

export class TenantStack extends Stack {
  constructor(scope: Construct, id: string, options: TenantStackOptions) {
    const isProtected = !options.isFirst;
    super(scope, id, { ...options, terminationProtection: isProtected });
    const { tenant, bundle } = options;
    if (tenant.egressAllowPrivate && !options.local) {
      throw new Error(
        `Tenant ${tenant.id}: egressAllowPrivate is only for local use; a deployed stack must not have it.`,
      );
    }
    guardAddress(this, tenant);
    guardStorage(this, tenant);
    const storage = options.storage ?? addStorage(this, { tenant, isProtected });
    const gateway = newGateway(this, tenant);
    const baseUrl = gatewayUrl(gateway, tenant);
    const withoutFunctions: Resources = {
      tenant,
      ...usedStorage(this, storage, tenant),
      ...queues(this),
      modelSecrets: options.local ? undefined : modelSecrets(tenant),
      identityProvider: identityProvider(this, tenant, { gatewayUrl: baseUrl, userPool: storage.userPool }),
      codeFunction: undefined,
      cardSigner: undefined,
    };
    const background = nestedStack(
      this,
      backgroundId,
      'Functions that no request calls, and roles of all functions',
    );
    const forFunctions = {
      resources: withoutFunctions,
      gatewayUrl: baseUrl,
      otherAddresses: otherAddresses(gateway, tenant),
      bundle,
      roles: background,
    };
    const resources = {
      ...withoutFunctions,
      codeFunction: addCodeFunction(background, forFunctions),
      cardSigner: addCardSigner(background, forFunctions),
    };
    const surroundings = { ...forFunctions, resources };
    const authorizer = addConnectorAuthorizer(this, gateway, surroundings);
    const routeFunctions = addRoutes(this, gateway, surroundings, authorizer.methods);
    const workers = addWorkers(background, surroundings);
    const audit = addAuditTrail(
      { stack: this, background },
      { routeFunctions, authorizer: authorizer.function },
      surroundings,
    );
    const clock = addClock(background, surroundings);
    const migrations = addMigrations(background, surroundings);
    if (tenant.firewall)
      addFirewall(nestedStack(this, 'Firewall', 'Limits of requests by AWS WAF'), gateway, tenant.firewall);
    const monitoring = nestedStack(this, 'Monitoring', 'Alarms, the dashboard and the sampling of traces');
    const alarms = addAlarms(monitoring, { resources, gateway, workers, audit, clock });
    addTraceSampling(monitoring, gateway, tenant);
    if (tenant.dashboard) addDashboard(monitoring, { resources, gateway, alarms });
    this.addOutputs({
      ...resourceOutputs(resources, audit),
      StorageStackName: tenant.storageStack ? storageStackName(tenant.id) : undefined,
      MigrationFunctionName: migrations.functionName,
      ...addAddresses(this, gateway, surroundings),
    });
  }

  private addOutputs(outputs: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(outputs)) {
      if (value !== undefined) new CfnOutput(this, name, { value });
    }
  }
}

/** With the tables and signing keys that the tenant file names in place of those of the stack. */
const usedStorage = (scope: Construct, storage: Storage, tenant: Tenant) => ({
  control: usedTable(scope, storage.control, tenant.tables?.control),
  runs: usedTable(scope, storage.runs, tenant.tables?.runs),
  flowKey: storage.flowKey,
  files: storage.files,
  cursorKey: storage.cursorKey,
  ...usedSigningKeys(scope, storage.signingKey, tenant),
});

/** The domains that are not made with the API, and the outputs about all addresses: `npm run deploy` compares them. */
function addAddresses(
  scope: Construct,
  gateway: RestApi,
  { resources, gatewayUrl: first, otherAddresses: others }: FunctionSurroundings,
): Record<string, string | undefined> {
  const domains = domainsOf(resources.tenant);
  const further = domains.filter(({ formerly }) => !formerly);
  const targets =
    further.length > 0
      ? addDomains(nestedStack(scope, 'Domains', 'Domains at which the service is reached'), gateway, further)
      : {};
  const texts = Object.entries(targets).map(([name, target]) => `${name} ${target}`);
  return {
    GatewayUrl: first,
    OtherAddresses: others.join(',') || undefined,
    CustomDomainName: domains.find(({ formerly }) => formerly)?.domainName,
    CustomDomainTarget: gateway.domainName?.domainNameAliasDomainName,
    DomainTargets: texts.join(', ') || undefined,
  };
}

/** CloudFormation allows 500 resources in a stack (docs/decisions/0022-nested-stacks.md). */
function nestedStack(scope: Construct, id: string, description: string): NestedStack {
  const made = new NestedStack(scope, id, { description });
  made.nestedStackResource?.overrideLogicalId(id);
  return made;
}

/** The outputs for operators (`npm run keys`, `npm run dlq`, the AWS console). */
function resourceOutputs(resources: Resources, audit: AuditTrail): Record<string, string> {
  return {
    ControlTableName: resources.control.tableName,
    RunsTableName: resources.runs.tableName,
    FilesBucketName: resources.files.bucketName,
    FlowKeyId: resources.flowKey.keyId,
    SigningKeyArn: resources.signingKey.keyArn,
    RunQueueUrl: resources.runQueue.queueUrl,
    RunDeadLetterQueueUrl: resources.deadLetters.queueUrl,
    AuditDeadLetterQueueUrl: audit.deadLetters.queueUrl,
    AuditRecorderName: audit.recorder.functionName,
  };
}
