import type { GroupMetadata, WASocket } from 'baileys'
import { type Age, ExpiringMap } from '../../../runtime/expiring-map.ts'

const MAX = 200

/** The members of groups, cached or from the platform. */
export class Groups {
  readonly #known: ExpiringMap<GroupMetadata>

  constructor(age: Age) {
    this.#known = new ExpiringMap(MAX, age)
  }

  async find(sock: Pick<WASocket, 'groupMetadata'>, jid: string): Promise<GroupMetadata> {
    const known = this.#known.get(jid)
    if (known) return known
    const group = await sock.groupMetadata(jid)
    this.#known.set(jid, group)
    return group
  }

  forget(jid: string): void {
    this.#known.delete(jid)
  }
}
