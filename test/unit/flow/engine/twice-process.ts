// A process of its own that runs a flow twice and prints what could be seen of each run: the first is the first of the process.
import { seenOf } from '../driven.ts';
import { flowOfEveryKind, hash, scriptWith } from './structured.ts';

const flow = flowOfEveryKind();
const script = scriptWith((key) => hash(key) % 13);
console.log(JSON.stringify([await seenOf(flow, script), await seenOf(flow, script)]));
