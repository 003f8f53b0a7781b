// What the name and the media type of a file may be.

/** RFC 9110, section 8.3.1, in lower case and without parameters. */
export const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

export const nameLengthMax = 255;

/** Those that change the direction of writing disguise the ending of a name. */
export const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
