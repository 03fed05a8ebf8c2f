import { digitsOf, jidKind } from './jid.ts'
import type { Links, Chat } from './links.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { field, idIn, type Json } from './json.ts'

/** Finds the contact and the conversation of a chat in Chatwoot, or creates them. */
export class Contacts {
  readonly #api: ChatwootApi
  readonly #links: Links
  readonly #inbox: number

  constructor(api: ChatwootApi, links: Links, inbox: number) {
    this.#api = api
    this.#links = links
    this.#inbox = inbox
  }

  async chatOf(chatJid: string, name: string): Promise<Chat> {
    const known = this.#links.chat(chatJid)
    if (known !== undefined) return known
    const contactId = (await this.#findContact(chatJid)) ?? (await this.#createContact(chatJid, name))
    const conversationId =
      (await this.#findConversation(contactId)) ?? (await this.#createConversation(contactId, chatJid))
    const chat = { chatJid, contactId, conversationId }
    this.#links.setChat(chat)
    return chat
  }

  async #findContact(chatJid: string): Promise<number | null> {
    const phone = phoneOf(chatJid)
    const isIt = (contact: Json): boolean =>
      field(contact, 'identifier') === chatJid || (phone !== null && field(contact, 'phone_number') === phone)
    const found = await this.#api.searchContacts(digitsOf(chatJid))
    return idIn(found.find(isIt), 'id')
  }

  /** If another client creates the contact at the same time, the retry finds it. */
  async #createContact(chatJid: string, name: string): Promise<number> {
    const phone = phoneOf(chatJid)
    return await this.#api.createContact({
      inbox_id: this.#inbox,
      name: nameFor(chatJid, name),
      identifier: chatJid,
      source_id: chatJid,
      ...(phone === null ? {} : { phone_number: phone }),
    })
  }

  /** The conversation with the latest activity. */
  async #findConversation(contactId: number): Promise<number | null> {
    const found = await this.#api.conversationsOf(contactId)
    return idIn(
      found.find(each => field(each, 'inbox_id') === this.#inbox),
      'id',
    )
  }

  async #createConversation(contactId: number, chatJid: string): Promise<number> {
    return await this.#api.createConversation({ inbox_id: this.#inbox, contact_id: contactId, source_id: chatJid })
  }
}

/** The phone number in the format of Chatwoot; `null` for hidden identifiers and groups. */
function phoneOf(jid: string): string | null {
  const digits = digitsOf(jid)
  return jidKind(jid) === 'user' && /^[1-9]\d{1,14}$/.test(digits) ? `+${digits}` : null
}

function nameFor(chatJid: string, name: string): string {
  if (jidKind(chatJid) === 'group') return `Group ${digitsOf(chatJid)}`
  return name.trim() || phoneOf(chatJid) || `Hidden number ${digitsOf(chatJid)}`
}
