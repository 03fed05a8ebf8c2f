import type { BridgeLedger } from './bridge-ledger.ts'

export interface Chat {
  chatJid: string
  contactId: number
  conversationId: number
}

/** A conversation, and the last message that was brought into it. */
export interface Conversation {
  chatJid: string
  lastId: number
}

/** Which chat is which conversation, and which message there is which here. */
export class BridgeLinks {
  readonly #ledger: BridgeLedger

  constructor(ledger: BridgeLedger) {
    this.#ledger = ledger
  }

  chat(chatJid: string): Chat | undefined {
    return this.#ledger.one<Chat>(
      `select chat_jid as "chatJid", contact_id as "contactId", conversation_id as "conversationId"
       from chats where chat_jid = ?`,
      chatJid,
    )
  }

  conversation(id: number): Conversation | undefined {
    return this.#ledger.one<Conversation>(
      'select chat_jid as "chatJid", last_id as "lastId" from conversations where id = ?',
      id,
    )
  }

  /** From now on what is said in the chat goes into this conversation; those before it stay known. */
  setChat({ chatJid, contactId, conversationId }: Chat): void {
    this.#ledger.commit(() => {
      this.#ledger.run(
        `insert into chats values (?, ?, ?) on conflict (chat_jid)
         do update set contact_id = excluded.contact_id, conversation_id = excluded.conversation_id`,
        chatJid,
        contactId,
        conversationId,
      )
      this.#ledger.run(
        'insert into conversations values (?, ?, 0) on conflict (id) do nothing',
        conversationId,
        chatJid,
      )
    })
  }

  /** The other side does not know it any more. */
  forgetChat({ chatJid, conversationId }: Chat): void {
    this.#ledger.commit(() => {
      this.#ledger.run('delete from chats where chat_jid = ?', chatJid)
      this.#ledger.run('delete from conversations where id = ?', conversationId)
    })
  }

  /** It is of another chat than was held here. */
  forgetConversation(id: number): void {
    this.#ledger.commit(() => {
      this.#ledger.run('delete from chats where conversation_id = ?', id)
      this.#ledger.run('delete from conversations where id = ?', id)
    })
  }

  /** The message with this id there is that one here. */
  link(conversationId: number, platformId: string, inboxId: number): void {
    this.#ledger.run(
      `insert into links select chat_jid, ?, ?, ? from conversations where id = ?
       on conflict (chat_jid, platform_id) do nothing`,
      platformId,
      inboxId,
      this.#ledger.nowMs(),
      conversationId,
    )
  }

  /** What is brought next into the conversation has a higher id than this. */
  brought(conversationId: number, inboxId: number): void {
    this.#ledger.run('update conversations set last_id = max(last_id, ?) where id = ?', inboxId, conversationId)
  }

  inboxIdOf(chatJid: string, platformId: string): number | undefined {
    const sql = 'select inbox_id as id from links where chat_jid = ? and platform_id = ?'
    return this.#ledger.one<{ id: number }>(sql, chatJid, platformId)?.id
  }

  platformIdOf(chatJid: string, inboxId: number): string | undefined {
    const sql = 'select platform_id as id from links where inbox_id = ? and chat_jid = ? order by created_at limit 1'
    return this.#ledger.one<{ id: string }>(sql, inboxId, chatJid)?.id
  }
}
