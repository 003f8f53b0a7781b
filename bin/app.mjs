// What the CDK CLI starts (cdk.json): bin/app.ts with Node 24. A `cdk` that is installed elsewhere starts it with whichever
// Node is first on the PATH.
import { runOnNode24 } from './run-on-node.mjs';

await runOnNode24('app.ts');
