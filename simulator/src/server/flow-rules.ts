import { type BinaryNode, child, children } from '../wire/node.ts'

const NOT_ALLOWED = 405
const INVALID = 479

/**
 * The error for a wrong announcement of buttons, if any. A message without an announcement is accepted, but the
 * recipient's phone does not show it.
 */
export function flowError(stanza: BinaryNode): number | undefined {
  const [announced] = children(stanza, 'biz')
  if (child(stanza, 'interactive')) return INVALID
  if (!announced) return undefined
  if (child(announced, 'buttons')) return NOT_ALLOWED
  return isWhole(announced) && isOfText(stanza) ? undefined : INVALID
}

/** Whether a phone shows the buttons of a message with this announcement. */
export const isAnnounced = (stanza: BinaryNode): boolean => children(stanza, 'biz').length === 1

function isWhole(announced: BinaryNode): boolean {
  const { actual_actors: actors, host_storage: storage, privacy_mode_ts: since } = announced.attrs
  const interactive = child(announced, 'interactive')
  const flow = child(interactive, 'native_flow')
  const control = child(announced, 'quality_control')?.attrs
  return (
    actors === '2' &&
    storage === '2' &&
    /^\d{10}$/.test(since ?? '') &&
    interactive?.attrs.type === 'native_flow' &&
    interactive.attrs.v === '1' &&
    flow?.attrs.v === '9' &&
    flow.attrs.name === 'mixed' &&
    (control?.decision_id ?? control?.source_type) !== undefined
  )
}

function isOfText(stanza: BinaryNode): boolean {
  const direct = children(child(stanza, 'participants'), 'to').flatMap(to => children(to, 'enc'))
  const parts = [...direct, ...children(stanza, 'enc')]
  return stanza.attrs.type === 'text' && parts.every(({ attrs }) => attrs.mediatype === undefined)
}
