/** The parts of a recorded line that may hold a value. */
interface Recorded {
  attrs?: Record<string, string>
  children?: Recorded[]
  expect?: { answers: Recorded[] }
}

/** Written independently of the redaction: every value that it keeps has one of these forms. */
const FORMS = [
  /^(?:user|group|list|channel|call|bot)#\d+(?::\d{1,5})?@[a-z.]+$/,
  /^me(?::\d{1,5})?@[a-z.]+$/,
  /^id#\d+$/,
  /^(?:time|other)\(\d+\)$/,
  /^[a-z][a-z0-9_:-]*$/,
  /^\d{0,5}$/,
  /^@?s\.whatsapp\.net$|^status@broadcast$|^0@s\.whatsapp\.net$|^g\.us$/,
]

export function* valuesOf(line: Recorded): Generator<string> {
  yield* Object.values(line.attrs ?? {})
  for (const child of [...(line.children ?? []), ...(line.expect?.answers ?? [])]) yield* valuesOf(child)
}

/** Values of a recording that are neither a placeholder nor a length nor a protocol word. */
export function unredacted(recording: string): string[] {
  const lines = recording.trim().split('\n')
  const values = lines.flatMap(line => [...valuesOf(JSON.parse(line) as Recorded)])
  return [...new Set(values)].filter(value => !FORMS.some(form => form.test(value)))
}
