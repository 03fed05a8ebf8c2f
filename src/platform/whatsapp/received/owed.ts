import type { BinaryNode } from 'baileys'

interface Word {
  tag?: string
  attrs?: Record<string, string | undefined>
}

const MAX_OWED = 100
const CLASSES = new Set(['message', 'receipt', 'notification', 'call', 'status', 'appdata'])

/** Stanzas over which the platform has ended the link, since it lacks their confirmation: it sends them again. */
export class OwedConfirmations {
  readonly #named = new Set<string>()

  /** Takes down which one an end of the link names, if it does. */
  note(error: unknown): void {
    const named = missedConfirmation(error)
    if (named === undefined) return
    const [oldest] = this.#named
    if (oldest !== undefined && this.#named.size >= MAX_OWED) this.#named.delete(oldest)
    this.#named.add(`${named.class} ${named.id}`)
  }

  /** Whether this is one of them. */
  has({ tag, attrs }: BinaryNode): boolean {
    return this.#named.size > 0 && this.#named.has(`${tag} ${attrs.id}`)
  }

  settle({ tag, attrs }: BinaryNode): void {
    this.#named.delete(`${tag} ${attrs.id}`)
  }
}

/** The stanza that the platform still waits for the confirmation of, where it has ended the link over one. */
export function missedConfirmation(error: unknown): { class: string; id: string } | undefined {
  const { data } = (error ?? {}) as { data?: Word }
  if (data?.tag !== 'ack' || data.attrs?.class === undefined || data.attrs.id === undefined) return undefined
  return { class: data.attrs.class, id: data.attrs.id }
}

/** In words for a log: classes and ids alone, and only such as the platform makes. */
export function missedInWords(missed: { class: string; id: string }): string {
  const named = CLASSES.has(missed.class) ? missed.class : 'stanza'
  const id = /^[\w.:-]{1,64}$/.test(missed.id) ? ` (${missed.id})` : ''
  return `the platform lacks the confirmation of a ${named}${id}`
}
