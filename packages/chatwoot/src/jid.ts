export type JidKind = 'user' | 'lid' | 'group' | 'channel' | 'status'

const SHAPES: ReadonlyArray<[JidKind, RegExp]> = [
  ['user', /^\d{5,20}(?::\d{1,5})?@s\.whatsapp\.net$/],
  ['lid', /^\d{5,20}(?::\d{1,5})?@lid$/],
  ['group', /^\d{5,24}(?:-\d{5,20})?@g\.us$/],
  ['channel', /^\d{5,24}@newsletter$/],
  ['status', /^status@broadcast$/],
]

export const jidKind = (jid: string): JidKind | undefined => SHAPES.find(([, shape]) => shape.test(jid))?.[0]

/** The form that events carry. */
export const withoutDevice = (jid: string): string => jid.replace(/:\d+@/, '@')

/** The digits before the device number and the server. */
export const digitsOf = (jid: string): string => /^\d+/.exec(jid)?.[0] ?? ''
