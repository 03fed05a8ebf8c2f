import type { BridgeLedger } from './ledger.ts'

export interface Chat {
  chatJid: string
  contactId: number
  conversationId: number
}

/** A conversation, and the last message that the bridge posted there. */
export interface Conversation {
  chatJid: string
  lastId: number
}

/** Maps chats to conversations, and messages of the platform to messages of Chatwoot. */
export class Links {
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

  /** Messages of the chat go to this conversation from now on. Earlier conversations stay known. */
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

  /** Chatwoot no longer has the conversation. */
  forgetChat({ chatJid, conversationId }: Chat): void {
    this.#ledger.commit(() => {
      this.#ledger.run('delete from chats where chat_jid = ?', chatJid)
      this.#ledger.run('delete from conversations where id = ?', conversationId)
    })
  }

  /** The conversation belongs to another chat than the ledger says. */
  forgetConversation(id: number): void {
    this.#ledger.commit(() => {
      this.#ledger.run('delete from chats where conversation_id = ?', id)
      this.#ledger.run('delete from conversations where id = ?', id)
    })
  }

  /** Links a message of the platform with a message of Chatwoot. */
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

  /** The next message of the conversation has a higher id than this. */
  setLast(conversationId: number, inboxId: number): void {
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
