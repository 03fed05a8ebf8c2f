import { normalizeMessageContent, proto, type SignalKeyStore } from 'baileys'
import { OwnKeys } from '../device/own-keys.ts'
import { unixSeconds } from '../wire/numbers.ts'

/** How long the messages of a chat stay, and since when that holds. */
export interface Expiration {
  /** 0: they stay. */
  readonly seconds: number
  /** Unix seconds; 0 if it is not known. */
  readonly since: number
}

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
const YEAR_SECONDS = 31_536_000

/** What a message says about its chat: each message in a chat with disappearing messages names the setting. */
export function expirationIn(message: proto.IMessage | null | undefined): Expiration | undefined {
  const content = normalizeMessageContent(message) ?? {}
  const setting = content.protocolMessage
  if (setting?.type === EPHEMERAL_SETTING)
    return expirationOf(setting.ephemeralExpiration ?? 0, setting.ephemeralSettingTimestamp)
  for (const part of Object.values(content) as unknown[]) {
    const info = (part as { contextInfo?: proto.IContextInfo | null } | null)?.contextInfo
    if (info?.expiration) return expirationOf(info.expiration, info.ephemeralSettingTimestamp)
  }
  return undefined
}

function expirationOf(seconds: number, since: unknown): Expiration | undefined {
  return seconds > YEAR_SECONDS ? undefined : { seconds, since: unixSeconds(String(since ?? 0)) ?? 0 }
}

/** The settings of direct chats. Without them the recipient's phone says that our messages do not disappear. */
export class Expirations {
  readonly #kept: OwnKeys<Expiration>

  constructor(keys: () => SignalKeyStore) {
    this.#kept = new OwnKeys('postern-expirations', keys)
  }

  /** Keeps what a message says, unless a newer one has said something else. */
  async note(chat: string, said: Expiration): Promise<void> {
    const known = await this.#kept.get(chat)
    if (known?.seconds === said.seconds || (known?.since ?? 0) > said.since) return
    if (known || said.seconds > 0) this.#kept.set(chat, said)
  }

  async of(chat: string): Promise<Expiration | undefined> {
    return await this.#kept.get(chat)
  }
}
