import { parseJid } from '../jid.ts'
import { type BinaryNode, children } from '../wire/node.ts'
import { type AttributeRule, type Rule, rules } from './rules.ts'

/** A comparison with the table: how a stanza differs, in words without names and ids, and the rule that it fits best. */
export interface Verdict {
  readonly differences: readonly string[]
  readonly rule: Rule | undefined
}

/**
 * How a stanza of a client differs from those of the web client. An operation that the web client does not send is one
 * difference.
 */
export function judgeClient(stanza: BinaryNode): Verdict {
  const candidates = (rules().sent.get(stanza.tag) ?? []).filter(
    rule => stanza.tag !== 'iq' || isSameQuery(stanza, rule),
  )
  const subject = subjectOf(stanza)
  const none = [`${subject}: no such stanza`, ...wrongAddress(stanza, subject)]
  return best(stanza, candidates, subject, none, false)
}

/** Whether the web client would understand a stanza of the server. `query` is the one that the stanza answers. */
export function judgeServer(stanza: BinaryNode, query: Rule | undefined): Verdict {
  const { type } = stanza.attrs
  if (stanza.tag === 'iq' && (type === 'result' || type === 'error'))
    return query ? judgeAnswer(stanza, query) : NOT_DESCRIBED
  if (UNPARSED.has(stanza.tag)) return NOT_DESCRIBED
  const subject = `server: ${subjectOf(stanza)}`
  const sameType = ofSameType(stanza, rules().parsed.get(stanza.tag))
  const sameContent = sameType.filter(rule => hasContentOf(stanza, rule))
  return best(stanza, sameContent.length > 0 ? sameContent : sameType, subject, [`${subject}: no such stanza`], true)
}

/** Some queries have no parser for errors: any error fails them. */
function judgeAnswer(stanza: BinaryNode, query: Rule): Verdict {
  const subject = `server: answer to ${nameOfQuery(query)}, ${stanza.attrs.type}`
  return best(stanza, ofSameType(stanza, rules().answers.get(query)), subject, [], true)
}

const NOT_DESCRIBED: Verdict = { differences: [], rule: undefined }

function ofSameType({ attrs: { type } }: BinaryNode, candidates: readonly Rule[] = []): readonly Rule[] {
  return candidates.filter(({ attrs }) => {
    const rule = attrs.get('type')
    return !rule?.literals || (type === undefined ? rule.isOptional : rule.literals.has(type))
  })
}

/** The kinds of a stanza of the server, as the vocabulary of the table names them: one for each child. */
export function kindsOf(stanza: BinaryNode): string[] {
  const { tag, attrs } = stanza
  if (tag === 'receipt') return [`receipt ${attrs.type ?? 'delivery'}`]
  const prefix = tag === 'notification' ? `notification ${attrs.type}` : tag
  const inside = tag === 'message' ? [] : children(stanza)
  return inside.length === 0 ? [prefix] : inside.map(child => `${prefix} ${child.tag}`)
}

/** Stanzas that the extraction does not describe, or whose parser demands nothing. */
const UNPARSED: ReadonlySet<string> = new Set(['ack', 'status', 'xmlstreamend'])

function hasContentOf(stanza: BinaryNode, { children: wanted }: Rule): boolean {
  const inside = children(stanza)
  return inside.length === 0
    ? ![...wanted.values()].some(rule => !rule.isOptional)
    : inside.some(({ tag }) => wanted.has(tag))
}

const nameOfQuery = ({ attrs, children: inside }: Rule): string =>
  [...(attrs.get('xmlns')?.literals ?? []), [...inside.keys()][0] ?? ''].join(' ').trim()

function best(
  stanza: BinaryNode,
  candidates: readonly Rule[],
  subject: string,
  none: readonly string[],
  isParser: boolean,
): Verdict {
  let found: Verdict = { differences: none, rule: undefined }
  for (const rule of candidates) {
    const differences = compare(stanza, rule, subject, isParser)
    if (found.rule === undefined || differences.length < found.differences.length) found = { differences, rule }
    if (differences.length === 0) break
  }
  return found
}

/** An operation that the table does not describe has an address nevertheless. */
const wrongAddress = ({ attrs }: BinaryNode, subject: string): string[] =>
  parseJid(attrs.to) === undefined ? [`${subject}: to is no jid`] : []

/** Queries are told apart by their namespace, type and first child; answers by their type. */
function isSameQuery(stanza: BinaryNode, { attrs, children: wanted }: Rule): boolean {
  const { type = '', xmlns } = stanza.attrs
  if (!attrs.get('type')?.literals?.has(type)) return false
  const namespace = attrs.get('xmlns')
  if (xmlns !== undefined && !namespace?.literals?.has(xmlns)) return false
  if (xmlns === undefined && namespace !== undefined && !namespace.isOptional) return false
  const [first] = children(stanza)
  return first === undefined || wanted.has(first.tag) || type === 'result' || type === 'error'
}

function subjectOf(stanza: BinaryNode): string {
  const { xmlns = '', type = '' } = stanza.attrs
  const first = children(stanza)[0]?.tag ?? ''
  if (stanza.tag === 'notification') return ['notification', type, first].filter(Boolean).map(wordOf).join(' ')
  if (stanza.tag !== 'iq') return wordOf(stanza.tag)
  return ['iq', xmlns, type, first].filter(Boolean).map(wordOf).join(' ')
}

/** A parser ignores attributes and children that it does not know. */
function compare(node: BinaryNode, rule: Rule, path: string, isParser: boolean): string[] {
  const found: string[] = []
  for (const [name, value] of Object.entries(node.attrs)) {
    const attribute = rule.attrs.get(name)
    if (!attribute) {
      if (!isParser) found.push(`${path}: unknown attribute ${wordOf(name)}`)
    } else if (!isValueOf(value, attribute)) found.push(`${path}: ${wrongValue(name, value, attribute)}`)
  }
  for (const [name, { isOptional }] of rule.attrs)
    if (!isOptional && node.attrs[name] === undefined) found.push(`${path}: no attribute ${name}`)
  return [...found, ...compareChildren(node, rule, path, isParser)]
}

function compareChildren(node: BinaryNode, rule: Rule, path: string, isParser: boolean): string[] {
  const found: string[] = []
  const counts = new Map<string, number>()
  for (const inner of children(node)) {
    counts.set(inner.tag, (counts.get(inner.tag) ?? 0) + 1)
    const wanted = rule.children.get(inner.tag)
    if (wanted) found.push(...compare(inner, wanted, `${path} > ${inner.tag}`, isParser))
    else if (!isParser && !rule.children.has('*')) found.push(`${path}: unknown child ${wordOf(inner.tag)}`)
  }
  for (const { tag, isOptional, isRepeatable } of rule.children.values()) {
    const count = counts.get(tag) ?? 0
    if (count === 0 && !isOptional) found.push(`${path}: no child ${tag}`)
    if (count > 1 && !isRepeatable) found.push(`${path}: more than one ${tag}`)
  }
  return [...new Set(found)]
}

/** Only words of the protocol are shown: any other value may name a person. */
function wrongValue(name: string, value: string, { kind, literals }: AttributeRule): string {
  if (kind !== undefined) return `${name} is no ${kind}`
  return `${name} is ${wordOf(value)} instead of ${[...literals!].join('|')}`
}

const wordOf = (text: string): string =>
  /^[@a-z0-9_.:-]{1,40}$/.test(text) && !/\d{5}/.test(text) ? text : 'something'

function isValueOf(value: string, { kind, literals }: AttributeRule): boolean {
  if (literals) return literals.has(value)
  const jid = parseJid(value)
  switch (kind) {
    case 'id':
      return value.length > 0
    case 'int':
    case 'time':
      return /^-?\d+$/.test(value)
    case 'bool':
      return value === 'true' || value === 'false'
    case 'jid':
      return jid !== undefined
    case 'group':
      return jid?.server === 'g.us'
    case 'channel':
      return jid?.server === 'newsletter'
    case 'person':
      return PEOPLE.has(jid?.server ?? '') && !value.includes(':')
    case 'device':
      return PEOPLE.has(jid?.server ?? '')
    default:
      return true
  }
}

const PEOPLE: ReadonlySet<string> = new Set(['s.whatsapp.net', 'lid', 'hosted', 'hosted.lid', 'c.us', 'bot'])
