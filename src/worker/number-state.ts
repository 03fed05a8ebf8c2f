import type { NumberLink } from './link/number-link.ts'
import type { LinkRecord } from './link/link-record.ts'
import type { NumberSettings } from './number-settings.ts'

/** The current state of a number, read from its settings and its link, which change while it is hosted. */
export interface NumberState {
  readonly accountId: string
  readonly isLinkOpen: boolean
  /** `null` while the link is up. */
  readonly downSince: number | null
  /** The pause between two of its messages. */
  readonly paceMs: number
  /** It may not write to strangers until then. */
  readonly restrictedUntil: number | null
}

export function numberState(settings: NumberSettings, link: NumberLink, record: LinkRecord): NumberState {
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
