import { digitsOf, jidKind } from '../../domain/jid.ts'
import { getOwn } from '../../runtime/get-own.ts'
import type { BridgeLinks, Chat } from '../../store/bridge/bridge-links.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { idIn } from './id-in.ts'

type Json = Record<string, unknown>

/** Which contact and conversation of Chatwoot a chat is: found where they are there already, else made. */
export class People {
  readonly #api: ChatwootApi
  readonly #links: BridgeLinks
  readonly #inbox: number

  constructor(api: ChatwootApi, links: BridgeLinks, inbox: number) {
    this.#api = api
    this.#links = links
    this.#inbox = inbox
  }

  async chatOf(chatJid: string, name: string): Promise<Chat> {
    const known = this.#links.chat(chatJid)
    if (known !== undefined) return known
    const contactId = (await this.#findContact(chatJid)) ?? (await this.#createContact(chatJid, name))
    const conversationId = (await this.#findConversation(contactId)) ?? (await this.#begin(contactId, chatJid))
    const chat = { chatJid, contactId, conversationId }
    this.#links.setChat(chat)
    return chat
  }

  async #findContact(chatJid: string): Promise<number | null> {
    const phone = phoneOf(chatJid)
    const isIt = (contact: Json): boolean =>
      getOwn(contact, 'identifier') === chatJid || (phone !== null && getOwn(contact, 'phone_number') === phone)
    const found = await this.#api.searchContacts(digitsOf(chatJid))
    return idIn(found.find(isIt), 'id')
  }

  /** Made at the same moment by somebody else: it is found when this is tried again. */
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

  /** The one in which something happened last. */
  async #findConversation(contactId: number): Promise<number | null> {
    const found = await this.#api.conversationsOf(contactId)
    return idIn(
      found.find(each => getOwn(each, 'inbox_id') === this.#inbox),
      'id',
    )
  }

  async #begin(contactId: number, chatJid: string): Promise<number> {
    return await this.#api.createConversation({ inbox_id: this.#inbox, contact_id: contactId, source_id: chatJid })
  }
}

/** As Chatwoot writes numbers; `null` for hidden identifiers and groups. */
function phoneOf(jid: string): string | null {
  const digits = digitsOf(jid)
  return jidKind(jid) === 'user' && /^[1-9]\d{1,14}$/.test(digits) ? `+${digits}` : null
}

function nameFor(chatJid: string, name: string): string {
  if (jidKind(chatJid) === 'group') return `Group ${digitsOf(chatJid)}`
  return name.trim() || phoneOf(chatJid) || `Hidden number ${digitsOf(chatJid)}`
}
