import { describe, expect, it } from 'vitest';
import { pageSize, pagesMax, paginate } from '#lib/discovery/ai-catalog.ts';

const agents = (count: number) =>
  Array.from({ length: count }, (_, n) => String(n).padStart(6, '0')).reverse();
const all = pageSize * pagesMax;

describe('the pages of a catalog', () => {
  it.each([
    ['no agent', 0, [0]],
    ['one agent', 1, [1]],
    ['as many agents as a page has', 50, [50]],
    ['one more', 51, [50, 1]],
    ['as many as all pages have', all, Array.from({ length: 200 }, () => 50)],
  ])('with %s', (_what, count, sizes) => {
    expect(paginate(agents(count)).map((page) => page.length)).toEqual(sizes);
  });

  it('list the oldest agents first, so that a new one moves no other', () => {
    const before = paginate(agents(75));
    const after = paginate(agents(76));
    expect(after[0]).toEqual(before[0]);
    expect(after[1]?.slice(0, 25)).toEqual(before[1]);
  });

  it('are of the newest agents where there are more than fit', () => {
    const pages = paginate(agents(all + 1));
    expect(pages).toHaveLength(pagesMax);
    expect(pages[0]?.[0]).toBe('000001');
    expect(pages.at(-1)?.at(-1)).toBe(String(all).padStart(6, '0'));
  });
});
