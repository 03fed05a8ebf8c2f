import type { BinaryNode } from 'baileys'

interface StreamError {
  tag?: string
  attrs?: Record<string, string | undefined>
}

const MAX_OWED = 100
const CLASSES = new Set(['message', 'receipt', 'notification', 'call', 'status', 'appdata'])

/** Stanzas whose missing confirmation made the platform end the link: it sends them again. */
export class OwedConfirmations {
  readonly #stanzas = new Set<string>()

  /** Adds the stanza that the error of an ended link names, if it names one. */
  add(error: unknown): void {
    const missed = missedConfirmation(error)
    if (missed === undefined) return
    const [oldest] = this.#stanzas
    if (oldest !== undefined && this.#stanzas.size >= MAX_OWED) this.#stanzas.delete(oldest)
    this.#stanzas.add(`${missed.class} ${missed.id}`)
  }

  has({ tag, attrs }: BinaryNode): boolean {
    return this.#stanzas.size > 0 && this.#stanzas.has(`${tag} ${attrs.id}`)
  }

  delete({ tag, attrs }: BinaryNode): void {
    this.#stanzas.delete(`${tag} ${attrs.id}`)
  }
}

/** The stanza whose missing confirmation made the platform end the link, if that was the reason. */
export function missedConfirmation(error: unknown): { class: string; id: string } | undefined {
  const { data } = (error ?? {}) as { data?: StreamError }
  if (data?.tag !== 'ack' || data.attrs?.class === undefined || data.attrs.id === undefined) return undefined
  return { class: data.attrs.class, id: data.attrs.id }
}

/** A text for logs: it has only the class and the id, and only if they have the form that the platform uses. */
export function describeMissed(missed: { class: string; id: string }): string {
  const named = CLASSES.has(missed.class) ? missed.class : 'stanza'
  const id = /^[\w.:-]{1,64}$/.test(missed.id) ? ` (${missed.id})` : ''
  return `the platform lacks the confirmation of a ${named}${id}`
}
