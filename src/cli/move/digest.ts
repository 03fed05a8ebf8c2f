import { createHash } from 'node:crypto'

type Value = string | number | Uint8Array | null

/** What a table holds, whatever the order in which its rows are read. */
export class Digest {
  rows = 0
  #sum = 0n

  add(rows: Array<Record<string, Value>>, columns: readonly string[]): void {
    this.rows += rows.length
    for (const row of rows) this.#sum += digestOf(columns.map(column => row[column] ?? null))
  }

  get text(): string {
    return BigInt.asUintN(128, this.#sum).toString(16).padStart(32, '0')
  }
}

function digestOf(values: Value[]): bigint {
  const text = JSON.stringify(values.map(value => (value instanceof Uint8Array ? [toBase64(value)] : value)))
  const hash = createHash('sha256').update(text).digest()
  return (hash.readBigUInt64BE(0) << 64n) + hash.readBigUInt64BE(8)
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
