// How the site searches; its test takes the same options.

/**
 * Words of titles count more; the beginning of a word is enough, and one letter of a word of three or more may be wrong:
 * with two, "callback" would be found for "rollback".
 */
export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'text'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, maxFuzzy: 1, combineWith: 'AND' },
};
