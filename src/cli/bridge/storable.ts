/** What a database of text takes: no control characters but tab and newline, and no half of a character. */
export const storable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
