// How the site searches; its test takes the same options.

/** Words of titles count more; the beginning of a word is enough, and one letter in five may be wrong. */
export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'text'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
};
