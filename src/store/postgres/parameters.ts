/** A parameter of an array type. The driver's own conversion of an array of texts and numbers costs half as much again. */
export function arrayOf(values: ReadonlyArray<string | number | null>): string {
  let text = ''
  for (const value of values) {
    if (text !== '') text += ','
    if (typeof value === 'string') text += `"${SPECIAL.test(value) ? value.replace(EACH_SPECIAL, '\\$&') : value}"`
    else text += value === null ? 'NULL' : String(value)
  }
  return `{${text}}`
}

const SPECIAL = /["\\]/
const EACH_SPECIAL = /["\\]/g

/**
 * The bytes of many rows as one value, with the position of each, counted from 1: `substr` takes them out again. They are
 * sent in binary. As elements of an array they would be sent as text, escaped and parsed again, which costs more than
 * the insert.
 */
export class Pieces {
  readonly #pieces: Uint8Array[] = []
  #length = 0

  add(piece: Uint8Array | null): Piece {
    if (piece === null) return NO_PIECE
    const from = this.#length + 1
    this.#pieces.push(piece)
    this.#length += piece.length
    return { from, length: piece.length }
  }

  all(): Buffer {
    return Buffer.concat(this.#pieces, this.#length)
  }
}

interface Piece {
  from: number | null
  length: number | null
}

const NO_PIECE: Piece = { from: null, length: null }
