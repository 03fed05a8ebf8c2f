import type { Content as PhoneContent } from '@postern/simulator/phone/content'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { Content } from '../../src/domain/message.ts'
import { blackPng } from './pictures.ts'
import { type Hosted, type Rig, text } from './whatsapp-rig.ts'

/** The participants, and a word that is in every text that people choose. */
export interface Scene {
  digits: string
  ana: string
  bob: string
  mark: string
}

const file = (type: 'image' | 'voice' | 'document' | 'video' | 'sticker' | 'audio', mark: string): PhoneContent => ({
  type,
  data: Buffer.from(`${mark} file`),
  ...(type === 'document' ? { filename: `${mark}.pdf` } : {}),
  ...(['image', 'video', 'document'].includes(type) ? { caption: `${mark} caption` } : {}),
})

/** Everything that a phone can write to a number. */
const phoneContents = ({ mark, bob }: Scene): PhoneContent[] => [
  { type: 'text', text: `${mark} text`, mentions: [`${bob}@s.whatsapp.net`] },
  ...(['image', 'voice', 'document', 'video', 'sticker', 'audio'] as const).map(type => file(type, mark)),
  { type: 'location', latitude: 48.137154009, longitude: 11.576124007, name: `${mark} place` },
  { type: 'live_location', latitude: 48.137154009, longitude: 11.576124007, name: `${mark} walk` },
  { type: 'poll', name: `${mark} poll`, options: [`${mark} yes`, `${mark} no`], selectableCount: 1 },
  { type: 'contacts', contacts: [{ name: `${mark} card`, phone: bob }] },
  { type: 'button_response', id: `${mark} id`, text: `${mark} button` },
]

/** Every content that a number can write to a contact. */
export const sentContents = ({ mark, bob }: Scene, pictureUrl: string): Content[] => [
  text(`${mark} text`),
  {
    type: 'media',
    mediaType: 'image',
    url: pictureUrl,
    caption: `${mark} caption`,
    mentions: [],
    filename: null,
    viewOnce: false,
  },
  {
    type: 'location',
    latitude: 48.137154009,
    longitude: 11.576124007,
    name: `${mark} place`,
    address: `${mark} street`,
  },
  { type: 'contacts', contacts: [{ name: `${mark} card`, phone: bob }] },
  { type: 'poll', name: `${mark} poll`, options: [`${mark} yes`, `${mark} no`], selectableCount: 1 },
  {
    type: 'buttons',
    text: `${mark} buttons`,
    footer: `${mark} footer`,
    buttons: [{ id: '1', text: `${mark} button` }],
  },
  {
    type: 'list',
    text: `${mark} list`,
    footer: '',
    title: `${mark} title`,
    buttonText: `${mark} open`,
    sections: [{ title: `${mark} section`, rows: [{ id: '1', title: `${mark} row`, description: '' }] }],
  },
]

async function servePicture(): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(blackPng({ width: 40, height: 20 })),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.png`, close: () => void server.close() }
}

/** Sends every content in both directions: people, a group, a channel, a status, calls, presence. */
export async function sayEverything(rig: Rig, number: Hosted, scene: Scene): Promise<void> {
  const { simulator } = rig
  const { digits, mark } = scene
  const [ana, bob] = [simulator.phone(scene.ana), simulator.phone(scene.bob)]
  ana.name = `${mark} Ana`
  bob.name = `${mark} Bob`
  const group = simulator.group({ subject: `${mark} group`, owner: scene.ana, members: [digits, scene.bob] })
  const channel = simulator.channel({ name: `${mark} channel`, owner: scene.ana, followers: [digits] })
  await receiveEverything(rig, number, scene, group.jid)
  const picture = await servePicture()
  for (const content of sentContents(scene, picture.url)) await number.send(ana.jid, content)
  picture.close()
  await number.send(group.jid, text(`${mark} to the group`))
  await number.send('status@broadcast', text(`${mark} status`)).catch(() => undefined)
  await changeOwn(number, ana.jid, mark)
  await channel.post({ type: 'text', text: `${mark} post` })
  await simulator.phone(scene.ana).sendTo('status@broadcast', { type: 'text', text: `${mark} seen` })
  group.change('promote', [scene.bob])
  const seen = () => number.events.filter(({ kind }) => kind === 'message').length
  await number.until(() => seen() >= phoneContents(scene).length)
}

async function receiveEverything({ simulator }: Rig, number: Hosted, scene: Scene, group: string): Promise<void> {
  const { digits, mark } = scene
  const [ana, bob] = [simulator.phone(scene.ana), simulator.phone(scene.bob)]
  for (const content of phoneContents(scene)) await ana.sendTo(digits, content)
  const first = await ana.sendTo(digits, { type: 'text', text: `${mark} first` })
  await ana.react(digits, first.id, '🧭')
  await ana.edit(digits, first.id, `${mark} edited`)
  await ana.revoke(digits, first.id)
  await bob.sendTo(group, { type: 'text', text: `${mark} in the group` })
  simulator.faults.tamper(digits, 1)
  await bob.sendTo(digits, { type: 'text', text: `${mark} tampered` })
  await number.run({ kind: 'presence_subscribe', contactJid: ana.jid })
  ana.presence({ online: true })
  ana.typing(digits, 'composing')
  const call = await bob.call(digits, { video: true })
  await bob.hangUp(call.id, { reason: 'timeout' })
}

async function changeOwn(number: Hosted, to: string, mark: string): Promise<void> {
  const [sent, about] = [makePlatformId(), { messageId: 'msg_1', to }]
  await number.send(to, text(`${mark} to be changed`), { platformId: sent })
  await number.run({
    kind: 'edit',
    ...about,
    platformId: makePlatformId(),
    targetPlatformId: sent,
    text: `${mark} new`,
  })
  await number.send(to, { type: 'reaction', emoji: '🧭', reactedMessageId: sent, reactedParticipant: null })
  await number.run({ kind: 'revoke', ...about, platformId: makePlatformId(), targetPlatformId: sent })
  await number.run({ kind: 'typing', chatJid: to, typing: true, media: 'text' })
  await number.run({ kind: 'contact_check', phones: ['15559998888'] })
}
