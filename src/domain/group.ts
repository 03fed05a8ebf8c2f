export const GROUP_ROLES = ['member', 'admin', 'owner'] as const
export type GroupRole = (typeof GROUP_ROLES)[number]

/** A member, by the name that the group uses and by phone number if it is known. */
export interface GroupMember {
  jid: string
  phone: string | null
  role: GroupRole
}

export const PERMITTED = ['all', 'admins'] as const
export type Permitted = (typeof PERMITTED)[number]

/** The times after which the platform lets messages disappear; 0 keeps them. */
export const DISAPPEARING_SECONDS = [0, 86_400, 604_800, 7_776_000] as const

export interface GroupSettings {
  /** Who may send messages. */
  write: Permitted
  /** Who may change subject, description and picture. */
  edit: Permitted
  /** Who may add people. */
  add: Permitted
  /** Whether an admin has to let people in who follow the invite link. */
  joinApproval: boolean
  disappearingSeconds: number
}

/** `itself`: the community, which has no messages; `announcements`: its group in which only admins write. */
export const COMMUNITY_PLACES = ['itself', 'announcements', 'group'] as const

export interface GroupSummary {
  jid: string
  subject: string
  description: string
  ownerJid: string | null
  createdAtMs: number | null
  size: number
  /** The community that it is, or that it belongs to. */
  community: { jid: string; place: (typeof COMMUNITY_PLACES)[number] } | null
  settings: GroupSettings
}

/** A group that a number is in. */
export interface Group extends GroupSummary {
  /** The role of the number itself. */
  role: GroupRole | null
  members: GroupMember[]
}

/** A group of a community, which the number itself may not be in. */
export interface LinkedGroup {
  jid: string
  subject: string
  createdAtMs: number | null
  size: number | null
  isAnnouncements: boolean
}

export interface GroupChange {
  subject?: string
  description?: string
  settings?: Partial<GroupSettings>
}

export const MEMBER_ACTIONS = ['add', 'remove', 'promote', 'demote'] as const
export type MemberAction = (typeof MEMBER_ACTIONS)[number]

/** `done`, or why the platform did not do it to this person. */
export const MEMBER_OUTCOMES = [
  'done',
  'already_member',
  'not_member',
  'not_on_platform',
  'invite_needed',
  'left_recently',
  'group_full',
  'refused',
] as const

export interface MemberOutcome {
  /** As the request named the person. */
  jid: string
  outcome: (typeof MEMBER_OUTCOMES)[number]
  /** The platform's own code, unless it is done. */
  code: number | null
}

const OUTCOME_OF: Readonly<Record<number, MemberOutcome['outcome']>> = {
  403: 'invite_needed',
  408: 'left_recently',
  409: 'already_member',
  419: 'group_full',
}

/** The platform says "not found" of people without an account, and of people who are not in the group. */
export function outcomeOf(isJoining: boolean, code: number): MemberOutcome['outcome'] {
  if (code === 200) return 'done'
  if (code === 404) return isJoining ? 'not_on_platform' : 'not_member'
  return (isJoining ? OUTCOME_OF[code] : undefined) ?? 'refused'
}

/** A person who waits for an admin. */
export interface JoinRequest {
  jid: string
  phone: string | null
  requestedAtMs: number | null
}

const INVITE = /^(?:https:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?([A-Za-z0-9_-]{10,40})(?:[/?#].*)?$/

/** The code of an invite, given as the link or the code alone; `undefined` if it is neither. */
export const inviteCodeOf = (invite: string): string | undefined => INVITE.exec(invite.trim())?.[1]

export const inviteUrl = (code: string): string => `https://chat.whatsapp.com/${code}`
