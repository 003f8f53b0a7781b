// How the site searches; its test takes the same options.

/**
 * Words of titles count more; the beginning of a word is enough, and one letter of a word of three or more may be wrong:
 * with two, "callback" would be found for "rollback". Why and when something was made counts less than how it is used.
 */
export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'text'],
  searchOptions: {
    ...{ boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, maxFuzzy: 1, combineWith: 'AND' },
    boostDocument: (id) => (/^(decisions\/|changelog)/i.test(id) ? 0.2 : 1),
  },
};

/** Sections that have all words. Where they are few, as for a whole question, those with some of them follow. */
export function findSections(search, query) {
  const all = search.search(query);
  if (all.length >= fewMax) return all;
  const ids = new Set(all.map(({ id }) => id));
  const some = search.search(query, { combineWith: 'OR', fuzzy: false, prefix: false, processTerm });
  return [...all, ...some.filter(({ id }) => !ids.has(id))];
}

const fewMax = 3;

/** Words that a question has and an answer need not have. */
const fillers = new Set(
  'a an and are can do does for from how i in is it my of on or the to use what where with'.split(' '),
);
const processTerm = (term) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase());
