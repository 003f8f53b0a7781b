// A process of its own that runs a flow twice and prints what could be seen of each run: the first is the
// first of the process.
import { observeRun } from '../driven.ts';
import { everyKindOfNode, hash, scriptWith } from './structured.ts';

const flow = everyKindOfNode();
const script = scriptWith((key) => hash(key) % 13);
console.log(JSON.stringify([await observeRun(flow, script), await observeRun(flow, script)]));
