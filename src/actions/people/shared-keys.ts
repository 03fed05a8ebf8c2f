/** Nobody has this number: it takes the place of a person in a list whose entries are counted. */
const NOBODY = '0@s.whatsapp.net'

interface Bytes {
  type: 'Buffer'
  data: string
}

/**
 * The value of a device's key without a person, if it names several people; `undefined` for a key that is about this
 * person alone.
 */
export function withoutPerson(category: string, id: string, value: unknown, person: RegExp): unknown {
  const isOther = (name: string): boolean => !person.test(name)
  switch (category) {
    case 'postern-channels':
    case 'postern-readers':
    case 'postern-status-audiences':
    case 'postern-subscriptions':
      return (value as string[]).filter(isOther)
    case 'postern-changed-people':
      return (value as Array<[number, string]>).map(([at, name]) => [at, isOther(name) ? name : NOBODY])
    case 'postern-group-keys': {
      const { devices, ...kept } = value as { devices: Record<string, true> }
      return { ...kept, devices: Object.fromEntries(Object.entries(devices).filter(([device]) => isOther(device))) }
    }
    case 'tctoken': {
      // The library's list of the people with tokens.
      if (id !== '__index') return undefined
      const entry = value as { token: Bytes }
      const names = JSON.parse(Buffer.from(entry.token.data, 'base64').toString('utf8')) as string[]
      const data = Buffer.from(JSON.stringify(names.filter(isOther))).toString('base64')
      return { ...entry, token: { ...entry.token, data } }
    }
    default:
      return undefined
  }
}
