import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assembleArtifacts } from '#lib/flow/engine/artifacts.ts';
import { endArtifacts } from '#lib/flow/engine/end-artifacts.ts';
import { withoutRepetitions } from '#lib/run/output.ts';

const file = (bytes: Buffer, labels: object = {}) => ({
  file: { raw: bytes.toString('base64'), bytes: bytes.length, ...labels },
});
const chunk = (artifact_id: string, append: boolean) => ({ artifact: { artifact_id, append } });

describe('artifacts', () => {
  test('are what was cut into chunks, wherever the cuts are and whatever came between', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const chunked = fc.array(fc.tuple(bytes, fc.string()), { minLength: 1, maxLength: 20 });
    const property = fc.property(chunked, (chunks) => {
      const said = chunks.flatMap(([some, text], n) => [
        { ...file(Buffer.from(some), { filename: 'a.bin' }), ...chunk('bytes', n > 0) },
        { text, ...chunk('text', n > 0) },
      ]);
      expect(assembleArtifacts(said)).toEqual([
        {
          artifact_id: 'bytes',
          parts: [file(Buffer.concat(chunks.map(([some]) => some)), { filename: 'a.bin' })],
        },
        { artifact_id: 'text', parts: [{ text: chunks.map(([, text]) => text).join('') }] },
      ]);
    });
    fc.assert(property);
  });

  test('keep apart what is no continuation: other files, places and data', () => {
    const said = [
      { ...file(Buffer.from('a'), { filename: 'a' }), ...chunk('x', false) },
      { ...file(Buffer.from('b'), { filename: 'b' }), ...chunk('x', true) },
      { file: { url: 'https://a.example/' }, ...chunk('x', true) },
      { file: { url: 'https://b.example/' }, ...chunk('x', true) },
      { data: 1, ...chunk('x', true) },
      { data: 2, ...chunk('x', true) },
    ];
    expect(assembleArtifacts(said)[0]?.parts).toHaveLength(6);
  });

  test('keep their names when a chunk has none, and lose what was there before when one begins anew', () => {
    const named = { text: 'a', artifact: { artifact_id: 'x', name: 'X', description: 'All of it.' } };
    expect(assembleArtifacts([named, { text: 'b', ...chunk('x', true) }])).toEqual([
      { artifact_id: 'x', name: 'X', description: 'All of it.', parts: [{ text: 'ab' }] },
    ]);
    expect(assembleArtifacts([named, { text: 'b', ...chunk('x', false) }])).toEqual([
      { artifact_id: 'x', parts: [{ text: 'b' }] },
    ]);
  });

  test('of an end have ids of their own', () => {
    expect(assembleArtifacts(endArtifacts([{ name: 'a', text: 'A' }, { data: 1 }]))).toEqual([
      { artifact_id: 'end-1', name: 'a', parts: [{ text: 'A' }] },
      { artifact_id: 'end-2', parts: [{ data: 1 }] },
    ]);
  });

  test('contain a chunk once that a run has sent again after a crash', () => {
    const said = ['a', 'b', 'b', 'c'].map((text, n) => ({ id: text, text, ...chunk('x', n > 0) }));
    expect(assembleArtifacts(withoutRepetitions(said))[0]?.parts).toEqual([{ text: 'abc' }]);
  });
});
