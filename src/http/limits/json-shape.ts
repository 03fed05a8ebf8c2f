import { bodyInvalid } from '../../domain/errors.ts'

export interface BodyShape {
  /** Members and items in total. */
  values: number
  depth: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Counts the values of a JSON document without parsing it: parsing, validating and explaining cost a multiple for each
 * value. Text that is not JSON may pass: the parser rejects it.
 */
export function checkJsonShape(text: string, { values, depth }: BodyShape): void {
  let count = 0
  let level = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at + 1)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        level++
        count++
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        level--
        break
      case COMMA:
        count++
        break
    }
    if (count > values) throw bodyInvalid(`body must not have more than ${values} values`)
    if (level > depth) throw bodyInvalid(`body must not be nested more than ${depth} levels deep`)
  }
}

/** The position of the quote that ends the string, or the end of the document. */
function endOfText(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    if (!isEscaped(text, quote, at)) return quote
    at = quote + 1
  }
}

/** Whether an odd number of backslashes precedes the quote. */
function isEscaped(text: string, quote: number, from: number): boolean {
  let at = quote
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

/** A few short fields: enough to sign in or to change a password. */
export const FEW_FIELDS = { bodyLimit: 16_384, bodyShape: { values: 50, depth: 4 } }
