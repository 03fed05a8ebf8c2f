import { StepFailed, type TrialApi } from './trial-api.ts'

/** What the other side is asked to do. `ref` is the message of theirs that it is about. */
export type Deed =
  | { do: 'write'; group: boolean }
  | { do: 'picture' }
  | { do: 'react'; ref: string }
  | { do: 'edit'; ref: string }
  | { do: 'revoke'; ref: string }
  | { do: 'read' }

/** Whoever holds the second phone: a person who is asked, or the sandbox. */
export interface SecondPhone {
  /** Whether nobody has to be waited for. */
  readonly isAutomatic: boolean
  ask(deed: Deed): Promise<void>
}

const WORDS: Record<Deed['do'], string> = {
  write: 'On the second phone: write any text to the number.',
  picture: 'On the second phone: send any picture to the number.',
  react: 'On the second phone: react to the text that you have written, with any emoji.',
  edit: 'On the second phone: edit that text.',
  revoke: 'On the second phone: delete that text for everyone.',
  read: 'On the second phone: open the chat, so that its messages are read.',
}
const IN_GROUP =
  'On the second phone: write any text in a group that both numbers are in (make one where there is none).'

export function personWith(say: (line: string) => void): SecondPhone {
  return {
    isAutomatic: false,
    ask: async deed => say(deed.do === 'write' && deed.group ? IN_GROUP : WORDS[deed.do]),
  }
}

/** A sandbox number's contact does what a person would. */
export function sandboxContact(api: TrialApi, session: string, from: string): SecondPhone {
  const path = (what: string): string => `/sandbox/sessions/${encodeURIComponent(session)}/${what}`
  const incoming = (body: object) => api.expect('POST', path('incoming'), { from, ...body })
  return {
    isAutomatic: true,
    async ask(deed) {
      switch (deed.do) {
        case 'write':
          return void (await incoming({ type: 'text', text: 'trial', ...(deed.group ? { group: 'Trial' } : {}) }))
        case 'picture':
          return void (await incoming({ type: 'image', media: { size: 1_000, mimetype: 'image/jpeg' } }))
        case 'react':
          return void (await incoming({ type: 'reaction', text: '👍', reacted_message_id: deed.ref }))
        case 'edit':
          return void (await incoming({ type: 'edit', text: 'trial, edited', edited_message_id: deed.ref }))
        case 'revoke':
          return void (await incoming({ type: 'revoke', revoked_message_id: deed.ref }))
        case 'read':
          return void (await api.expect('POST', path('actions'), { action: 'read', from }))
        default: {
          const never: never = deed
          throw new StepFailed(String(never))
        }
      }
    },
  }
}
