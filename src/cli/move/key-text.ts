type Value = string | number | Uint8Array | null

/** The key of a row as text that can be kept. */
export const keyText = (values: Value[]): string =>
  JSON.stringify(
    values.map(value => (value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value)),
  )

export const keyValues = (text: string): Value[] =>
  (JSON.parse(text) as Array<string | number | { bytes: string }>).map(value =>
    typeof value === 'object' ? Buffer.from(value.bytes, 'hex') : value,
  )
