import type { WAMessage } from 'baileys'
import { digitsOf } from '../../../domain/jid.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'

/** A message that came and could not be read: where it belongs, whoever brings its content in the end. */
export interface Awaited {
  key: string
  head: WAMessage
}

const MAX_AWAITED = 1_000

/**
 * Messages that could not be read are asked for, from who sent them and from the own phone. The phone may name people
 * otherwise than the stanza did: by the id of the message it is known which one its answer is.
 */
export class AwaitedMessages {
  readonly #byId = new ExpiringMap<readonly Awaited[]>(MAX_AWAITED)

  add(awaited: Awaited): void {
    const id = awaited.head.key.id ?? ''
    const others = (this.#byId.get(id) ?? []).filter(({ key }) => key !== awaited.key)
    this.#byId.set(id, [...others, awaited])
  }

  /** Which of them this is. Others choose ids: of several the one in the same chat. */
  find({ id, remoteJid }: WAMessage['key']): Awaited | undefined {
    const awaited = this.#byId.get(id ?? '') ?? []
    if (awaited.length < 2) return awaited[0]
    const isThere = (jid: string | null | undefined): boolean => !!jid && digitsOf(jid) === digitsOf(remoteJid ?? '')
    return awaited.find(({ head }) => isThere(head.key.remoteJid) || isThere(head.key.remoteJidAlt))
  }
}
