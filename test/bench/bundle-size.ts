// The sizes of the largest bundles and their budgets; `npm run build` prints all sizes.
import { type Bundle, build } from '#lib/infra/bundle.ts';
import {
  authorizationServerEntry,
  eagerAuthorizationServerBytesMax,
  eagerBytesMax,
  eagerWithEngineBytesMax,
  lazyBytesMax,
} from '#lib/infra/bundle-budget.ts';
import { type Row, toFigure } from './row.ts';

/** Builds all functions. */
export async function bundleRows(): Promise<Row[]> {
  const { bundles } = await build();
  const runners = bundles.filter(({ runsFlows }) => runsFlows);
  const authorizationServer = bundles.filter(({ entry }) => entry === authorizationServerEntry);
  const others = bundles.filter((bundle) => !bundle.runsFlows && !authorizationServer.includes(bundle));
  return [
    heaviest('cold start of a function', others, 'eager', eagerBytesMax),
    heaviest(
      'cold start of the authorization server',
      authorizationServer,
      'eager',
      eagerAuthorizationServerBytesMax,
    ),
    heaviest('cold start with the engine', runners, 'eager', eagerWithEngineBytesMax),
    heaviest('loaded later, for a model', runners, 'lazy', lazyBytesMax),
  ];
}

function heaviest(what: string, bundles: readonly Bundle[], part: 'eager' | 'lazy', bytesMax: number): Row {
  const [top] = bundles.toSorted((a, b) => b[part] - a[part]);
  if (!top) throw new Error(`Expected bundles for "${what}".`);
  return {
    what: `${what}, heaviest of ${bundles.length}`,
    unit: 'KiB',
    ours: toFigure([top[part] / 1_024]),
    budget: bytesMax / 1_024,
  };
}
