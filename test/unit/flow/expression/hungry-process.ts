// A process of its own that evaluates expressions which make much in few steps, and prints how each ends; the
// test bounds its heap.
import { NodeError } from '#lib/flow/format/node-error.ts';
import { evaluate, timeless } from '../scripted.ts';

const hungry = [
  '$map([1..9999], function($i){ $pad("x", 200000 + $i) })',
  '$map([1..9999], function($i){ $uppercase(state.text) })',
  '$map([1..9999], function($i){ $base64encode(state.text) })',
  '$map([1..9999], function($i){ $split(state.text, "x") })',
  '$map([1..9999], function($i){ $replace(state.text, "x", "yy") })',
  '$map([1..9999], $append(?, [1..9998]))',
  '[1..9999].[$sum(?), $sum(?), $sum(?), $sum(?)]',
  `$map([1..9999], function($i){ [${Array(90).fill('function(){ $i }').join()}] })`,
  '[1..9999]{$string($): $, "a" & $: $, "b" & $: $, "c" & $: $}',
  '($f := function($g){ $f(function(){ $g }) }; $f(1))',
];
const state = { text: `${'x'.repeat(100_000)}é` };

const codes: string[] = [];
for (const source of hungry) {
  const end = await evaluate(`{{ ${source} }}`, { state }, timeless).catch((error: unknown) => error);
  codes.push(end instanceof NodeError ? end.code : String(end));
}
console.log(JSON.stringify(codes));
