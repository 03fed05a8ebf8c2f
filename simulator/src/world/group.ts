import type { Addressing } from '../jid.ts'

export interface Member {
  readonly admin: 'superadmin' | 'admin' | undefined
  /** Whether the others see only the hidden identifier. */
  readonly hidden: boolean
}

/** How a person came to wait for the admins of a group. */
export interface JoinRequest {
  /** Unix seconds. */
  readonly t: number
  readonly method: 'invite_link'
}

export interface Group {
  readonly jid: string
  subject: string
  description: string
  /** A change of the description has to name the description that it replaces. */
  descriptionId?: string | undefined
  addressing: Addressing
  readonly owner: string
  readonly created: number
  /** By digits. */
  readonly members: Map<string, Member>
  announcement: boolean
  locked: boolean
  ephemeralSeconds: number
  /** Whether only admins add people; by default everyone does. */
  adminsAdd?: boolean
  /** Whether an admin has to let people in who follow the invite link. */
  approval?: boolean
  inviteCode?: string
  /** Invite codes that were valid before, the latest last. */
  revokedCodes?: string[]
  /** People who wait for an admin, by digits. */
  readonly requests?: Map<string, JoinRequest>
  /** Digits of people who left; only an invite brings them back. */
  readonly left?: Set<string>
  /** It is a community: it has other groups, and no messages of its own. */
  isCommunity?: boolean
  /** The community that it belongs to. */
  parent?: string | undefined
  /** The group of its community in which admins write to all members. */
  isAnnouncements?: boolean
  picture?: { readonly id: string; readonly path: string } | undefined
}
