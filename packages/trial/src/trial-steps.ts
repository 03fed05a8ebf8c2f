import { type OutgoingMessage, type PosternClient, PosternError } from '#sdk'
import type { Clock, EventHistory, HistoryEvent } from './event-history.ts'
import type { PhoneAction, SecondPhone } from './second-phone.ts'
import { StepFailed, StepSkipped, type TrialApi } from './trial-api.ts'
import type { TrialServer } from './trial-files.ts'

/** What the steps share and pass on to each other. */
export interface TrialContext {
  api: TrialApi
  clock: Clock
  session: string
  to: string
  phone: SecondPhone
  files: TrialServer
  history: EventHistory
  group: string | undefined
  /** How long the platform and a person may take. */
  platformMs: number
  personMs: number
  /** The ids of the text that the number sent, and of the text that it received. */
  sentText?: string
  receivedText?: string
}

export interface Step {
  name: string
  /** The part by which `--skip` leaves the step out. */
  part: 'send' | 'change' | 'receive' | 'receipts' | 'groups' | 'drop'
  /** Resolves with a note for the report. */
  run(context: TrialContext): Promise<string>
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

interface Progress {
  state: string
  reason: string | null
  detail: string | null
  history: Array<{ state: string; at: string }>
}

const progressOf = async ({ api }: TrialContext, id: string): Promise<Progress> =>
  (await api.expect(({ messages }) => messages.get(id))) as unknown as Progress

/** Only the code of the platform: a text might name a person. */
function failureOf({ reason, detail }: Progress): string {
  const code = /\b(\d{3})\b/.exec(detail ?? '')?.[1]
  return `failed: ${reason ?? 'no reason'}${code === undefined ? '' : ` (${code})`}`
}

const REACHED = ['sent', 'delivered', 'read', 'played']

/** Waits until a message reaches the state; returns when it reached each state on the way. */
async function follow(context: TrialContext, id: string, wanted: string): Promise<string> {
  const { clock, history, platformMs } = context
  const startedMs = clock.now().getTime()
  const reachedBy = (progress: Progress): string =>
    progress.history
      .filter(({ state }) => REACHED.includes(state))
      .map(({ state, at }) => `${state} after ${seconds(Math.max(0, Date.parse(at) - startedMs))}`)
      .join(', ')
  let last: Progress | undefined
  return await history
    .until(platformMs, `not ${wanted} in time`, async () => {
      last = await progressOf(context, id)
      if (last.state === 'failed') throw new StepFailed(failureOf(last))
      return last.history.some(({ state }) => state === wanted) ? reachedBy(last) : undefined
    })
    .catch((error: unknown) => {
      const reached = last === undefined ? '' : reachedBy(last)
      if (error instanceof StepFailed && reached !== '') throw new StepFailed(`${error.message}; ${reached}`)
      throw error
    })
}

async function send(context: TrialContext, content: object, to = context.to): Promise<string> {
  const message = { session_id: context.session, to, ...content } as OutgoingMessage
  try {
    return (await context.api.call(({ messages }) => messages.send(message))).message_id
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    if (error.status === 400 && error.param === 'media_url')
      throw new StepSkipped('the gateway may not fetch files from this machine (POSTERN_ALLOWED_TARGETS)')
    throw new StepFailed(`the gateway answered ${error.status}`)
  }
}

const sending = (name: string, content: (context: TrialContext) => object): Step => ({
  name: `send ${name}`,
  part: 'send',
  run: async context => await follow(context, await send(context, content(context)), 'delivered'),
})

const file = (mediaType: string): Step =>
  sending(mediaType, ({ files }) => ({ media_type: mediaType, media_url: files.url(`/${mediaType}`) }))

const sendText: Step = {
  name: 'send text',
  part: 'send',
  run: async context => {
    context.sentText = await send(context, { text: 'Postern trial: a text' })
    return await follow(context, context.sentText, 'delivered')
  },
}

function sentText({ sentText: id }: TrialContext): string {
  if (id === undefined) throw new StepSkipped('no text was sent')
  return id
}

/** Edits or revokes the text that was sent. */
const changing = (
  name: string,
  done: string,
  change: (messages: PosternClient['messages'], id: string) => Promise<unknown>,
): Step => ({
  name,
  part: 'change',
  run: async context => {
    const id = sentText(context)
    await context.api.expect(({ messages }) => change(messages, id))
    return await context.history.until(context.platformMs, `not ${done} in time`, async () => {
      const { history } = await progressOf(context, id)
      if (history.some(({ state }) => state === done.replace(/ed$/, '_failed'))) throw new StepFailed('refused')
      return history.some(({ state }) => state === done) ? '' : undefined
    })
  },
})

const reacting: Step = {
  name: 'react to the own text',
  part: 'change',
  run: async context =>
    await follow(context, await send(context, { reacted_message_id: sentText(context), text: '👍' }), 'sent'),
}

/** The other side performs an action, and the number reports the event. */
const receiving = (
  name: string,
  action: (context: TrialContext) => PhoneAction,
  matches: (context: TrialContext) => Parameters<EventHistory['next']>[2],
): Step => ({
  name,
  part: 'receive',
  run: async context => {
    const sinceMs = context.clock.now().getTime() - 1_000
    await context.phone.perform(action(context))
    const { message_id: id } = await context.history.next(sinceMs, context.personMs, matches(context))
    if (name === RECEIVE_TEXT && id !== undefined) context.receivedText = id
    return ''
  },
})

const RECEIVE_TEXT = 'receive a text'
const isGroup = (jid: string | undefined): boolean => jid?.endsWith('@g.us') === true

function receivedId({ receivedText }: TrialContext): string {
  if (receivedText === undefined) throw new StepSkipped('no text was received')
  return receivedText
}

const groups: Step = {
  name: 'a group, both ways',
  part: 'groups',
  run: async context => {
    if (context.group === undefined) {
      const sinceMs = context.clock.now().getTime() - 1_000
      await context.phone.perform({ do: 'write', group: true })
      const matches = ({ kind, chat_jid: chat }: { kind: string; chat_jid?: string }) =>
        kind === 'message' && isGroup(chat)
      context.group = (await context.history.next(sinceMs, context.personMs, matches)).chat_jid!
    }
    return await follow(
      context,
      await send(context, { text: 'Postern trial: to the group' }, context.group),
      'delivered',
    )
  },
}

const dropping: Step = {
  name: 'a drop, and a text after it',
  part: 'drop',
  run: async context => {
    await context.api.expect(({ sessions }) => sessions.restart(context.session))
    const reconnected = await untilConnected(context)
    const sent = await follow(context, await send(context, { text: 'Postern trial: after a drop' }), 'delivered')
    return `${reconnected}; ${sent}`
  },
}

export async function untilConnected(context: TrialContext): Promise<string> {
  const startedMs = context.clock.monotonicMs()
  return await context.history.until(context.platformMs, 'not connected in time', async () => {
    const { state } = await context.api.expect(({ sessions }) => sessions.get(context.session))
    return state === 'connected' ? `connected after ${seconds(context.clock.monotonicMs() - startedMs)}` : undefined
  })
}

/** All steps, in an order in which each has what it needs from those before. */
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
  changing('edit the own text', 'edited', (messages, id) => messages.edit(id, 'Postern trial: a text, edited')),
  {
    name: 'read by the other side',
    part: 'receipts',
    run: async context => {
      await context.phone.perform({ do: 'read' })
      return await follow({ ...context, platformMs: context.personMs }, sentText(context), 'read')
    },
  },
  changing('revoke the own text', 'revoked', (messages, id) => messages.revoke(id)),
  receiving(
    RECEIVE_TEXT,
    () => ({ do: 'write', group: false }),
    () =>
      ({ kind, type, chat_jid: chat, edited_message_id: edited, revoked_message_id: revoked }) =>
        kind === 'message' && type === 'text' && !isGroup(chat) && edited === undefined && revoked === undefined,
  ),
  {
    name: 'say that it was read, and type',
    part: 'receipts',
    run: async context => {
      const [chat_jid, message_ids] = [jidOf(context), [receivedId(context)]]
      await context.api.expect(({ sessions }) => sessions.markRead(context.session, { chat_jid, message_ids }))
      await context.api.expect(({ sessions }) => sessions.typing(context.session, { chat_jid, typing: true }))
      return ''
    },
  },
  receiving(
    'receive a reaction',
    context => ({ do: 'react', ref: receivedId(context) }),
    aboutReceived('reacted_message_id'),
  ),
  receiving(
    'receive an edit',
    context => ({ do: 'edit', ref: receivedId(context) }),
    aboutReceived('edited_message_id'),
  ),
  receiving(
    'receive a revoke',
    context => ({ do: 'revoke', ref: receivedId(context) }),
    aboutReceived('revoked_message_id'),
  ),
  receiving(
    'receive a picture',
    () => ({ do: 'picture' }),
    () =>
      ({ kind, type }) =>
        kind === 'message' && type === 'image',
  ),
  groups,
  dropping,
]

function aboutReceived(field: 'reacted_message_id' | 'edited_message_id' | 'revoked_message_id') {
  return (context: TrialContext) => (event: HistoryEvent) =>
    event.kind === 'message' && event[field] === receivedId(context)
}

const jidOf = ({ to }: TrialContext): string => (to.includes('@') ? to : `${to.replace(/\D/g, '')}@s.whatsapp.net`)
