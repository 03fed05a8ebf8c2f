import type { BridgeLedger } from './ledger.ts'

/** The progress of a part of an outgoing message. The whole message has the lowest rank of its parts. */
export const RANKS = { failed: -1, queued: 0, sent: 1, delivered: 2, read: 3 } as const

export interface OutgoingFile {
  url: string
  filename: string | null
}

/** The messages of agents, in parts that the bridge sends one by one. */
export class OutgoingMessages {
  readonly #ledger: BridgeLedger

  constructor(ledger: BridgeLedger) {
    this.#ledger = ledger
  }

  /** Adds a part. The gateway fetches a file by its `token`. */
  add(part: {
    id: number
    mark: string
    part: number
    conversationId: number
    file?: { token: string; file: OutgoingFile } | undefined
  }): void {
    const { token, file } = part.file ?? { token: null, file: null }
    this.#ledger.run(
      `insert into outgoing (id, mark, part, conversation_id, token, sealed, created_at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (id, part) do nothing`,
      part.id,
      part.mark,
      part.part,
      part.conversationId,
      token,
      file === null ? null : this.#ledger.seal.sealJson(file, token!),
      this.#ledger.nowMs(),
    )
  }

  /** Removes an earlier message that had the same id. */
  forgetOthers(id: number, mark: string): void {
    this.#ledger.run('delete from outgoing where id = ? and mark <> ?', id, mark)
  }

  conversationOf(id: number, mark: string): number | undefined {
    const sql = 'select conversation_id as conversation from outgoing where id = ? and mark = ? limit 1'
    return this.#ledger.one<{ conversation: number }>(sql, id, mark)?.conversation
  }

  file(token: string): OutgoingFile | undefined {
    const sql = 'select sealed from outgoing where token = ? and sealed is not null'
    const row = this.#ledger.one<{ sealed: Uint8Array }>(sql, token)
    return row && this.#ledger.seal.openJson<OutgoingFile>(row.sealed, token)
  }

  /**
   * Records the rank of a part. Removes the address of its file once the file is sent. Returns the rank of the whole
   * message if it is higher than the reported one, and records it as reported.
   */
  advance(id: number, part: number, rank: number): number | undefined {
    this.#ledger.run(
      `update outgoing set rank = ?1, sealed = case when ?1 = ${RANKS.queued} then sealed end
       where id = ?2 and part = ?3 and rank >= 0 and (?1 = ${RANKS.failed} or rank < ?1)`,
      rank,
      id,
      part,
    )
    const whole = this.#ledger.one<{ rank: number | null; told: number }>(
      'select min(rank) as rank, max(told) as told from outgoing where id = ?',
      id,
    )!
    if (whole.rank === null || whole.told === RANKS.failed) return undefined
    const isNew = whole.rank === RANKS.failed || whole.rank > whole.told
    if (!isNew) return undefined
    this.#ledger.run('update outgoing set told = ? where id = ?', whole.rank, id)
    return whole.rank
  }
}
