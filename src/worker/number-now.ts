import type { NumberLink } from './link/number-link.ts'
import type { LinkRecord } from './link/link-record.ts'
import type { NumberSettings } from './number-settings.ts'

/** The current state of a number. Its settings and its link change while it is hosted. */
export interface NumberNow {
  readonly accountId: string
  readonly isLinkOpen: boolean
  /** `null` while the link is up. */
  readonly downSince: number | null
  /** The pause between two of its messages. */
  readonly paceMs: number
  /** It may not write to strangers until then. */
  readonly restrictedUntil: number | null
}

export function numberNow(settings: NumberSettings, link: NumberLink, record: LinkRecord): NumberNow {
  return {
    get accountId() {
      return settings.accountId
    },
    get isLinkOpen() {
      return link.isUp
    },
    get downSince() {
      return record.downSince
    },
    get paceMs() {
      return settings.paceMs
    },
    get restrictedUntil() {
      return settings.restrictedUntil
    },
  }
}
