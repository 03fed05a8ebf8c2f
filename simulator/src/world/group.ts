import type { Addressing } from '../jid.ts'

export interface Member {
  readonly admin: 'superadmin' | 'admin' | undefined
  /** Whether the others see only the hidden identifier. */
  readonly hidden: boolean
}

export interface Group {
  readonly jid: string
  subject: string
  description: string
  addressing: Addressing
  readonly owner: string
  readonly created: number
  /** By digits. */
  readonly members: Map<string, Member>
  announcement: boolean
  locked: boolean
  ephemeralSeconds: number
}
