// Files as flows hold them: a reference by id, never the content.

/** 25 MB. */
export const fileBytesMax = 25 * 1024 * 1024;
