// The names of the migrations, for the command line, which does not load the migrations themselves.
export const jobNames = ['list-index', 'search-index', 'addresses'] as const;
export type JobName = (typeof jobNames)[number];
