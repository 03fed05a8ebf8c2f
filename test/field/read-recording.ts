import { existsSync, readFileSync } from 'node:fs'
import type { Shape } from '#recorder/shape'

export interface Line extends Shape {
  ms: number
  dir: 'in' | 'out'
}

/** The right answer, if the recording shows a wrong one. */
export interface Expectation {
  id: string
  answers: Shape[]
}

export interface ReadRecording {
  /** The stanzas of its logins, in order. */
  lines: Line[]
  expectations: Expectation[]
}

/** Pairings are left out: a replay would need their secrets. */
export function readRecording(path: string): ReadRecording {
  const lines: Line[] = []
  const expectations: Expectation[] = []
  let isLogin = true
  // A recording in progress has no file yet, or ends in the middle of a line.
  const written = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  for (const text of written) {
    const line = JSON.parse(text) as Partial<Line> & { purpose?: string; expect?: Expectation }
    if (line.purpose !== undefined) isLogin = line.purpose === 'login'
    if (line.expect !== undefined) expectations.push(line.expect)
    if (line.dir !== undefined && isLogin) lines.push(line as Line)
  }
  return { lines, expectations }
}

/** Answers to the client's queries, and stanzas of one connection: the server of a replay sends its own. */
const NOT_REPLAYED = new Set(['iq', 'success', 'ack', 'ib', 'failure', 'xmlstreamend', 'stream:error'])

/** Stanzas that the server sent on its own. Repetitions for lack of an answer are left out. */
export function saidByServer(lines: readonly Line[]): Line[] {
  const said = lines.filter(({ dir, tag }) => dir === 'in' && !NOT_REPLAYED.has(tag))
  return said.filter((line, n) => !said.slice(0, n).some(earlier => isRepeated(earlier, line)))
}

function isRepeated(earlier: Line, line: Line): boolean {
  if (line.attrs?.['id'] === undefined || !isSame(earlier, line)) return false
  return JSON.stringify(earlier.children) === JSON.stringify(line.children)
}

/** Whether an answer to one is an answer to the other. */
export function isSame(one: Line, other: Line): boolean {
  const names = ['id', 'from', 'participant', 'type']
  return one.tag === other.tag && names.every(name => one.attrs?.[name] === other.attrs?.[name])
}

/** The client's answers to a stanza, and to its repetitions under the same id: acks and receipts. */
export function answersTo(line: Line, lines: readonly Line[]): Shape[] {
  const { id, type, participant } = line.attrs ?? {}
  if (id === undefined) return []
  const isAnswer = ({ dir, tag, attrs = {} }: Line): boolean => {
    if (dir !== 'out' || attrs['id'] !== id) return false
    if (line.tag === 'message') return tag === 'receipt' || (tag === 'ack' && attrs['class'] === 'message')
    return (
      tag === 'ack' && attrs['class'] === line.tag && attrs['type'] === type && attrs['participant'] === participant
    )
  }
  return lines.filter(isAnswer).map(({ tag, attrs, children }) => ({
    tag,
    ...(attrs === undefined ? {} : { attrs }),
    ...(children === undefined ? {} : { children: children.map(each => ({ tag: each.tag })) }),
  }))
}

/** A message that the client could not read then is unreadable in a replay; its repetition is readable. */
export function isReadable(line: Line, lines: readonly Line[]): boolean {
  const at = lines.indexOf(line)
  const next = lines.findIndex((other, n) => n > at && other.dir === 'in' && isSame(other, line))
  const until = next === -1 ? lines.length : next
  const answers = answersTo(line, lines.slice(at, until))
  return !answers.some(({ attrs }) => attrs?.['type'] === 'retry' || attrs?.['error'] !== undefined)
}
