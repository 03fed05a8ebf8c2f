/** The people in a text: one on each line, or separated by commas. */
export const peopleIn = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map(each => each.trim())
    .filter(each => each !== '')
