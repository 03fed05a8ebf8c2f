import type { SandboxIncoming } from '#sdk'
import { StepFailed, type TrialApi } from './trial-api.ts'

/** An action of the other side. `ref` is the message of theirs that it refers to. */
export type PhoneAction =
  | { do: 'write'; group: boolean }
  | { do: 'picture' }
  | { do: 'react'; ref: string }
  | { do: 'edit'; ref: string }
  | { do: 'revoke'; ref: string }
  | { do: 'read' }

/** The second phone: a person who follows instructions, or a contact of the sandbox. */
export interface SecondPhone {
  perform(action: PhoneAction): Promise<void>
}

const INSTRUCTIONS: Record<PhoneAction['do'], string> = {
  write: 'On the second phone: write any text to the number.',
  picture: 'On the second phone: send any picture to the number.',
  react: 'On the second phone: react to the text that you have written, with any emoji.',
  edit: 'On the second phone: edit that text.',
  revoke: 'On the second phone: delete that text for everyone.',
  read: 'On the second phone: open the chat, so that its messages are read.',
}
const IN_GROUP =
  'On the second phone: write any text in a group that both numbers are in (make one where there is none).'

export function personWith(print: (line: string) => void): SecondPhone {
  return {
    perform: async action => print(action.do === 'write' && action.group ? IN_GROUP : INSTRUCTIONS[action.do]),
  }
}

/** A contact of the sandbox performs the actions. */
export function sandboxContact(api: TrialApi, session: string, from: string): SecondPhone {
  const incoming = (body: object) =>
    api.expect(({ sandbox }) => sandbox.incoming(session, { from, ...body } as SandboxIncoming))
  return {
    async perform(action) {
      switch (action.do) {
        case 'write':
          return void (await incoming({ type: 'text', text: 'trial', ...(action.group ? { group: 'Trial' } : {}) }))
        case 'picture':
          return void (await incoming({ type: 'image', media: { size: 1_000, mimetype: 'image/jpeg' } }))
        case 'react':
          return void (await incoming({ type: 'reaction', text: '👍', reacted_message_id: action.ref }))
        case 'edit':
          return void (await incoming({ type: 'edit', text: 'trial, edited', edited_message_id: action.ref }))
        case 'revoke':
          return void (await incoming({ type: 'revoke', revoked_message_id: action.ref }))
        case 'read':
          return void (await api.expect(({ sandbox }) => sandbox.act(session, { action: 'read', from })))
        default: {
          const never: never = action
          throw new StepFailed(String(never))
        }
      }
    },
  }
}
