import { laneOf, shardOf } from '../../dist/domain/delivery.js'
import { firstIdAt } from '../../dist/domain/ids.js'

const DAY_MS = 86_400_000
export const NOW = Date.now()
/** When old and young rows were created. */
export const OLD_MS = NOW - 100 * DAY_MS
export const YOUNG_MS = NOW - 3_600_000

const pad = n => String(n).padStart(16, '0')
export const oldId = (prefix, n) => firstIdAt(prefix, OLD_MS) + pad(n)
export const youngId = (prefix, n) => firstIdAt(prefix, YOUNG_MS) + pad(n)

export const accountId = n => oldId('acc', n)
export const sessionId = n => `1555${String(n).padStart(7, '0')}@s.whatsapp.net`
export const webhookId = n => oldId('wh', n)

/** How many of each there are besides the rows to skip. */
export const ACCOUNTS = 5_000
export const NUMBERS = 20_000
/** The account with all the rows, its number, and that number's webhook. */
export const ACCOUNT = accountId(0)
export const NUMBER = sessionId(0)
export const WEBHOOK = webhookId(0)
export const ENDPOINT = oldId('ep', 0)
export const LANE = laneOf(WEBHOOK, { category: 'messages', sessionId: NUMBER })
export const SHARD = shardOf(WEBHOOK)
/** Numbers below this are the account's own; every fourth number is logged out. */
export const OWN_NUMBERS = 2_000
export const LOGGED_OUT = sessionId(3)
export const CROWDED_CHAT = '15550009999@s.whatsapp.net'
/** A message with the maximum number of read receipts. */
export const READ_MESSAGE = youngId('msg', 1)
export const RECEIPTS = 100_000
