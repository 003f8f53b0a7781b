// Escapes a text for HTML and XML: as content of an element, and as a value of an attribute in quotes.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** What HTML or XML 1.0 does not allow in a document at all, not even escaped. */
const notAllowed = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

/** Characters that are not allowed, and half surrogates, become U+FFFD. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(notAllowed, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
