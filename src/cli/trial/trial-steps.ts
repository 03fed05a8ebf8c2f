import type { Clock } from '../../runtime/clock.ts'
import type { Happening, Happenings } from './happenings.ts'
import type { Deed, SecondPhone } from './second-phone.ts'
import { StepFailed, StepSkipped, type TrialApi } from './trial-api.ts'
import type { TrialServer } from './trial-files.ts'

/** What the steps share, and hand on to each other. */
export interface TrialScene {
  api: TrialApi
  clock: Clock
  session: string
  to: string
  phone: SecondPhone
  files: TrialServer
  happenings: Happenings
  group: string | undefined
  /** How long the platform, and a person, may take. */
  platformMs: number
  personMs: number
  /** Ids of the text that was sent, and of the one that came back. */
  sentText?: string
  heardText?: string
}

export interface Step {
  name: string
  /** Belongs to what `--skip` names. */
  part: 'send' | 'change' | 'receive' | 'receipts' | 'groups' | 'drop'
  /** Resolves with what is worth noting. */
  run(scene: TrialScene): Promise<string>
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

interface Progress {
  state: string
  reason: string | null
  detail: string | null
  history: Array<{ state: string; at: string }>
}

const progressOf = async ({ api }: TrialScene, id: string): Promise<Progress> =>
  (await api.expect('GET', `/v1/messages/${encodeURIComponent(id)}`)) as unknown as Progress

/** Only the code of the platform: its words, or ours, might name somebody. */
function failureOf({ reason, detail }: Progress): string {
  const code = /\b(\d{3})\b/.exec(detail ?? '')?.[1]
  return `failed: ${reason ?? 'no reason'}${code === undefined ? '' : ` (${code})`}`
}

const REACHED = ['sent', 'delivered', 'read', 'played']

/** Waits until a message has come so far; answers when it came how far. */
async function follow(scene: TrialScene, id: string, wanted: string): Promise<string> {
  const { clock, happenings, platformMs } = scene
  const beganMs = clock.now().getTime()
  const toldUntil = (progress: Progress): string =>
    progress.history
      .filter(({ state }) => REACHED.includes(state))
      .map(({ state, at }) => `${state} after ${seconds(Math.max(0, Date.parse(at) - beganMs))}`)
      .join(', ')
  let last: Progress | undefined
  return await happenings
    .until(platformMs, `not ${wanted} in time`, async () => {
      last = await progressOf(scene, id)
      if (last.state === 'failed') throw new StepFailed(failureOf(last))
      return last.history.some(({ state }) => state === wanted) ? toldUntil(last) : undefined
    })
    .catch((error: unknown) => {
      const came = last === undefined ? '' : toldUntil(last)
      if (error instanceof StepFailed && came !== '') throw new StepFailed(`${error.message}; ${came}`)
      throw error
    })
}

async function send(scene: TrialScene, content: object, to = scene.to): Promise<string> {
  const { status, json } = await scene.api.ask('POST', '/v1/messages', { session_id: scene.session, to, ...content })
  if (status === 202) return json['message_id'] as string
  const isRefusedFile = status === 400 && json['param'] === 'media_url'
  if (isRefusedFile)
    throw new StepSkipped('the gateway may not fetch files from this machine (POSTERN_ALLOWED_TARGETS)')
  throw new StepFailed(`the gateway answered ${status}`)
}

const sending = (name: string, content: (scene: TrialScene) => object): Step => ({
  name: `send ${name}`,
  part: 'send',
  run: async scene => await follow(scene, await send(scene, content(scene)), 'delivered'),
})

const file = (mediaType: string): Step =>
  sending(mediaType, ({ files }) => ({ media_type: mediaType, media_url: files.url(`/${mediaType}`) }))

const sendText: Step = {
  name: 'send text',
  part: 'send',
  run: async scene => {
    scene.sentText = await send(scene, { text: 'Postern trial: a text' })
    return await follow(scene, scene.sentText, 'delivered')
  },
}

function sentText({ sentText: id }: TrialScene): string {
  if (id === undefined) throw new StepSkipped('no text was sent')
  return id
}

/** An edit or a revoke of the text that was sent. */
const changing = (name: string, method: 'PATCH' | 'DELETE', done: string, body?: object): Step => ({
  name,
  part: 'change',
  run: async scene => {
    const id = sentText(scene)
    await scene.api.expect(method, `/v1/messages/${id}`, body)
    return await scene.happenings.until(scene.platformMs, `not ${done} in time`, async () => {
      const { history } = await progressOf(scene, id)
      if (history.some(({ state }) => state === done.replace(/ed$/, '_failed'))) throw new StepFailed('refused')
      return history.some(({ state }) => state === done) ? '' : undefined
    })
  },
})

const reacting: Step = {
  name: 'react to the own text',
  part: 'change',
  run: async scene =>
    await follow(scene, await send(scene, { reacted_message_id: sentText(scene), text: '👍' }), 'sent'),
}

const sessionPath = ({ session }: TrialScene, what: string): string =>
  `/v1/sessions/${encodeURIComponent(session)}/${what}`

/** The other side does something, and the number tells of it. */
const hearing = (
  name: string,
  deed: (scene: TrialScene) => Deed,
  fits: (scene: TrialScene) => Parameters<Happenings['next']>[2],
): Step => ({
  name,
  part: 'receive',
  run: async scene => {
    const sinceMs = scene.clock.now().getTime() - 1_000
    await scene.phone.ask(deed(scene))
    const { message_id: id } = await scene.happenings.next(sinceMs, scene.personMs, fits(scene))
    if (name === HEAR_TEXT && id !== undefined) scene.heardText = id
    return ''
  },
})

const HEAR_TEXT = 'receive a text'
const isGroup = (jid: string | undefined): boolean => jid?.endsWith('@g.us') === true

function heard({ heardText }: TrialScene): string {
  if (heardText === undefined) throw new StepSkipped('no text was received')
  return heardText
}

const groups: Step = {
  name: 'a group, both ways',
  part: 'groups',
  run: async scene => {
    if (scene.group === undefined) {
      const sinceMs = scene.clock.now().getTime() - 1_000
      await scene.phone.ask({ do: 'write', group: true })
      const fits = ({ kind, chat_jid: chat }: { kind: string; chat_jid?: string }) =>
        kind === 'message' && isGroup(chat)
      scene.group = (await scene.happenings.next(sinceMs, scene.personMs, fits)).chat_jid!
    }
    return await follow(scene, await send(scene, { text: 'Postern trial: to the group' }, scene.group), 'delivered')
  },
}

const dropping: Step = {
  name: 'a drop, and a text after it',
  part: 'drop',
  run: async scene => {
    await scene.api.expect('POST', sessionPath(scene, 'restart'))
    const cameBack = await untilConnected(scene)
    const sent = await follow(scene, await send(scene, { text: 'Postern trial: after a drop' }), 'delivered')
    return `${cameBack}; ${sent}`
  },
}

export async function untilConnected(scene: TrialScene): Promise<string> {
  const beganMs = scene.clock.monotonicMs()
  return await scene.happenings.until(scene.platformMs, 'not connected in time', async () => {
    const { state } = await scene.api.expect('GET', `/v1/sessions/${encodeURIComponent(scene.session)}`)
    return state === 'connected' ? `connected after ${seconds(scene.clock.monotonicMs() - beganMs)}` : undefined
  })
}

/** Everything, in an order in which one leads to the next. */
export const STEPS: readonly Step[] = [
  sendText,
  ...['image', 'audio', 'document', 'sticker'].map(file),
  sending('location', () => ({ location: { latitude: 48.2, longitude: 16.4, name: 'Trial' } })),
  sending('contact', ({ to }) => ({ contacts: [{ name: 'Trial', phone: to.replace(/\D/g, '') }] })),
  sending('poll', () => ({ poll: { name: 'Trial?', options: ['Yes', 'No'], selectable_count: 1 } })),
  sending('buttons', () => ({ text: 'Trial', buttons: [{ id: '1', text: 'One' }] })),
  sending('list', () => ({
    text: 'Trial',
    list: { title: 'Trial', button_text: 'Open', sections: [{ title: 'One', rows: [{ id: '1', title: 'First' }] }] },
  })),
  reacting,
  changing('edit the own text', 'PATCH', 'edited', { text: 'Postern trial: a text, edited' }),
  {
    name: 'read by the other side',
    part: 'receipts',
    run: async scene => {
      await scene.phone.ask({ do: 'read' })
      return await follow({ ...scene, platformMs: scene.personMs }, sentText(scene), 'read')
    },
  },
  changing('revoke the own text', 'DELETE', 'revoked'),
  hearing(
    HEAR_TEXT,
    () => ({ do: 'write', group: false }),
    () =>
      ({ kind, type, chat_jid: chat, edited_message_id: edited, revoked_message_id: revoked }) =>
        kind === 'message' && type === 'text' && !isGroup(chat) && edited === undefined && revoked === undefined,
  ),
  {
    name: 'say that it was read, and type',
    part: 'receipts',
    run: async scene => {
      await scene.api.expect('POST', sessionPath(scene, 'read'), {
        chat_jid: jidOf(scene),
        message_ids: [heard(scene)],
      })
      await scene.api.expect('POST', sessionPath(scene, 'typing'), { chat_jid: jidOf(scene), typing: true })
      return ''
    },
  },
  hearing('receive a reaction', scene => ({ do: 'react', ref: heard(scene) }), aboutHeard('reacted_message_id')),
  hearing('receive an edit', scene => ({ do: 'edit', ref: heard(scene) }), aboutHeard('edited_message_id')),
  hearing('receive a revoke', scene => ({ do: 'revoke', ref: heard(scene) }), aboutHeard('revoked_message_id')),
  hearing(
    'receive a picture',
    () => ({ do: 'picture' }),
    () =>
      ({ kind, type }) =>
        kind === 'message' && type === 'image',
  ),
  groups,
  dropping,
]

function aboutHeard(field: 'reacted_message_id' | 'edited_message_id' | 'revoked_message_id') {
  return (scene: TrialScene) => (happening: Happening) =>
    happening.kind === 'message' && happening[field] === heard(scene)
}

const jidOf = ({ to }: TrialScene): string => (to.includes('@') ? to : `${to.replace(/\D/g, '')}@s.whatsapp.net`)
