// Name and media type of a file as others give them, made valid.
import { truncate } from '#lib/truncate.ts';
import { hiddenCharacters, mediaTypePattern, nameLengthMax } from './file-labels.ts';

/** The last part of a path, without what disguises the ending of a name. */
export function cleanName(text: string): string {
  const last = text
    .toWellFormed()
    .split(/[/\\]/)
    .findLast((part) => part.trim() !== '');
  const name = truncate((last ?? '').replace(hiddenCharacters, '').trim(), nameLengthMax);
  return name === '' || /^\.+$/.test(name) ? 'file' : name;
}

/** In lower case, without parameters. */
export function cleanMediaType(text: string): string {
  const type = (text.split(';', 1)[0] ?? '').trim().toLowerCase();
  return mediaTypePattern.test(type) ? type : 'application/octet-stream';
}
