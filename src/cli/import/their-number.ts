import { getOwn } from '../../runtime/get-own.ts'

/** A number as another gateway has it. Secrets of theirs are never read into it. */
export interface TheirNumber {
  /** What they call it. */
  name: string
  /** Digits; `null` where they do not know it themselves. */
  phone: string | null
  label: string
  hooks: TheirHook[]
  /** Calls are rejected, with this text where there is one. */
  rejectsCalls: { message: string | null } | null
  /** What there is nothing of ours for. */
  left: string[]
}

export interface TheirHook {
  url: string
  events: string[]
}

/** What was found: lists that their API answers, and settings. */
export interface Found {
  lists: unknown[][]
  settings: ReadonlyMap<string, string>
  /** What their environment says was not there to be read. */
  isWithoutSettings: boolean
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field of what somebody else wrote. */
export const fieldOf = (value: unknown, name: string): unknown => (isRecord(value) ? getOwn(value, name) : undefined)

export const textOf = (value: unknown, name: string): string => {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : ''
}

export const textsOf = (value: unknown, name: string): string[] => {
  const field = fieldOf(value, name)
  return Array.isArray(field) ? field.filter(each => typeof each === 'string') : []
}

/** The digits of a number or of a JID of one. */
export function phoneOf(text: string): string | null {
  const digits = text.split('@')[0]!.split(':')[0]!.replace(/[^\d]/g, '')
  return /^\d{5,20}$/.test(digits) ? digits : null
}
