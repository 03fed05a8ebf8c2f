import { extractDeviceJids, jidDecode, USyncQuery, USyncUser } from 'baileys'
import { digitsOf, jidKind } from '../../../domain/jid.ts'
import { transient } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'

/** What the library keeps of a device of a person. */
interface KnownDevice {
  user: string
  device: number
  domainType?: number
  server: string
}

const LID_SERVERS: Readonly<Record<string, string>> = { 's.whatsapp.net': 'lid', hosted: 'hosted.lid' }

/**
 * How many devices a person has under this name, from memory or from the platform: the very ones that the library
 * then encrypts for. A question by number also tells the hidden identifier, and the devices under it. The library's own
 * question would start a new Signal session with whoever it is about.
 */
export async function findDevices(
  { userDevices, link }: Pick<SessionContext, 'userDevices' | 'link'>,
  { sock }: Connection,
  jid: string,
): Promise<number> {
  const known = userDevices.get<KnownDevice[]>(digitsOf(jid))
  if (known) return known.length
  const query = new USyncQuery().withContext('message').withDeviceProtocol().withUser(new USyncUser().withId(jid))
  const isPhone = jidKind(jid) === 'user'
  const answer = await sock.executeUSyncQuery(isPhone ? query.withLIDProtocol() : query)
  if (!answer) throw transient('the platform did not answer in time')
  const me = link.state()?.auth.creds.me
  const devices = extractDeviceJids(answer.list, me?.id ?? '', jidDecode(me?.lid)?.user ?? '', false) as KnownDevice[]
  if (devices.length === 0) return 0
  const lid = isPhone ? answer.list.find(({ lid }) => lid)?.lid : undefined
  if (typeof lid === 'string') {
    await sock.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn: jid }])
    userDevices.set(
      digitsOf(lid),
      devices.map(each => asLid(each, digitsOf(lid))),
    )
  }
  userDevices.set(digitsOf(jid), devices)
  await sock.authState.keys.set({
    'device-list': { [digitsOf(jid)]: devices.map(({ device }) => String(device)) },
  })
  return devices.length
}

function asLid({ device, server }: KnownDevice, user: string): KnownDevice {
  return { user, device, server: LID_SERVERS[server] ?? 'lid' }
}
