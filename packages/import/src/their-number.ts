/** A number of the other gateway. The importer never reads their secrets. */
export interface TheirNumber {
  /** Their name for it. */
  name: string
  /** Digits; `null` if the other gateway does not know them. */
  phone: string | null
  label: string
  hooks: TheirHook[]
  /** Their gateway rejects calls, with this text if there is one. */
  rejectsCalls: { message: string | null } | null
  /** Settings without an equivalent here. */
  left: string[]
}

export interface TheirHook {
  url: string
  events: string[]
}

/** What the source holds: lists as their API returns them, and settings. */
export interface Found {
  lists: unknown[][]
  settings: ReadonlyMap<string, string>
  /** The source has no file with the settings of their environment. */
  isWithoutSettings: boolean
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own field of data that another program wrote. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

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
