import type { Pace } from '../domain/pace.ts'
import type { NumberLink } from './link/number-link.ts'
import type { LinkRecord } from './link/link-record.ts'
import type { NumberSettings } from './number-settings.ts'

/** The current state of a number, read from its settings and its link, which change while it is hosted. */
export interface NumberState {
  readonly accountId: string
  readonly isLinkOpen: boolean
  /** `null` while the link is up. */
  readonly downSince: number | null
  /** The same object until it changes. */
  readonly pace: Pace | null
  /** Contacts never see it online, nor typing. */
  readonly isHidden: boolean
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
    get pace() {
      return settings.pace
    },
    get isHidden() {
      return settings.isHidden
    },
    get restrictedUntil() {
      return settings.restrictedUntil
    },
  }
}
