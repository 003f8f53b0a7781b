#!/usr/bin/env node
// `npx agent-flow`: runs bin/flow.ts with Node 24; npx starts it with whichever Node is first on the PATH.
import { runOnNode24 } from './run-on-node.mjs';

await runOnNode24('flow.ts');
