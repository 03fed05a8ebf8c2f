/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

// What history may show (contract §5). Whatever is not named here is content.
const keptPaths = new Set([
  'kind',
  'type',
  'status',
  'reason',
  'event',
  'receipt_type',
  'timestamp_unix',
  'last_seen_unix',
  'message_id',
  'messenger_message_id',
  'request_id',
  'server_id',
  'call_id',
  'poll_message_id',
  'poll_request_id',
  'quoted_message_id',
  'reacted_message_id',
  'edited_message_id',
  'revoked_message_id',
  'button_response.selected_id',
  'session_id',
  'sender_jid',
  'sender_phone',
  'chat_jid',
  'recipient_jid',
  'to',
  'quoted_participant',
  'voter_jid',
  'from_jid',
  'contact_jid',
  'newsletter_jid',
  'media.mimetype',
  'media.extension',
  'media.file_length',
  'media.status',
  'poll.selectable_count',
])
// The other side chooses some kept values, a MIME type for one; a long one is content in disguise.
const maxKeptBytes = 256

/** An event's payload as history keeps it: same shape, content replaced by `[redacted: <n> bytes]`. */
export function redact(payload: unknown): Json {
  return mapLeaves(payload as Json, '', (value, path) => (isKept(value, path) ? value : marker(value)))
}

/** Whether the excerpt of an answer holds 8 or more bytes in a row of what redact takes out of the payload. */
export function excerptRepeats(payload: unknown, excerpt: string): boolean {
  const views = [excerpt, unescaped(excerpt)].map(view => Buffer.from(view))
  if (views.every(view => view.length < runBytes)) return false
  const index = indexOf(views)
  let found = false
  mapLeaves(payload as Json, '', (value, path) => {
    if (!found && !isKept(value, path)) found = sharesRun(Buffer.from(jsonText(value)), index)
    return value
  })
  return found
}

type Leaf = null | boolean | number | string

function mapLeaves(value: Json, path: string, onLeaf: (leaf: Leaf, path: string) => Leaf): Json {
  if (value === null || typeof value !== 'object') return onLeaf(value, path)
  if (Array.isArray(value)) return value.map((item: Json) => mapLeaves(item, `${path}[]`, onLeaf))
  const prefix = path === '' ? '' : `${path}.`
  // fromEntries defines a key such as __proto__ where an assignment would lose it.
  const present = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(present.map(([key, item]) => [key, mapLeaves(item, prefix + key, onLeaf)]))
}

function isKept(value: Leaf, path: string): boolean {
  if (value === null || typeof value === 'boolean' || value === '') return true
  return keptPaths.has(path) && Buffer.byteLength(jsonText(value)) <= maxKeptBytes
}

function marker(value: Leaf): string {
  return `[redacted: ${Buffer.byteLength(jsonText(value))} bytes]`
}

function jsonText(value: Leaf): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const runBytes = 8
const gramBytes = 4

// Content and answer made to collide must not hold up the process; past this the excerpt counts as a repetition.
const maxComparisons = 1_000_000

interface RunIndex {
  readonly views: readonly Buffer[]
  /** Where each group of four bytes stands: view number and offset, by the group as a number. */
  readonly places: ReadonlyMap<number, readonly (readonly [number, number])[]>
  /** A sieve before the map: whether any group has this hash. */
  readonly hashes: Uint8Array
  comparisons: number
}

function indexOf(views: readonly Buffer[]): RunIndex {
  const places = new Map<number, (readonly [number, number])[]>()
  const hashes = new Uint8Array(65_536)
  views.forEach((view, number) => {
    for (let at = 0; at + gramBytes <= view.length; at++) {
      const gram = gramAt(view, at)
      hashes[hashOf(gram)] = 1
      const known = places.get(gram)
      if (known) known.push([number, at])
      else places.set(gram, [[number, at]])
    }
  })
  return { views, places, hashes, comparisons: 0 }
}

// Every run of 8 bytes holds a whole group of 4 that begins at a multiple of 5, so four positions in five are skipped.
function sharesRun(content: Buffer, index: RunIndex): boolean {
  for (let at = 0; at + gramBytes <= content.length; at += runBytes - gramBytes + 1) {
    const gram = gramAt(content, at)
    const places = index.hashes[hashOf(gram)] === 1 ? index.places.get(gram) : undefined
    if (!places) continue
    index.comparisons += places.length
    if (index.comparisons > maxComparisons) return true
    if (places.some(([view, offset]) => runLength(content, at, index.views[view] as Buffer, offset) >= runBytes)) {
      return true
    }
  }
  return false
}

function gramAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> 16
}

function runLength(content: Buffer, at: number, view: Buffer, offset: number): number {
  let before = 0
  while (before < at && before < offset && content[at - before - 1] === view[offset - before - 1]) before++
  let after = 0
  while (at + after < content.length && offset + after < view.length && content[at + after] === view[offset + after]) {
    after++
  }
  return before + after
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

// A receiver may repeat content as JSON, and the excerpt itself writes control characters as escapes.
function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|(.))/gis, (whole, long, short, single: string) => {
    const code = Number.parseInt(long ?? short ?? '', 16)
    if (Number.isNaN(code)) return escapes[single] ?? single
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
