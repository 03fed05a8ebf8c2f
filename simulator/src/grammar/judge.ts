import { parseJid } from '../jid.ts'
import { type BinaryNode, children } from '../wire/node.ts'
import { type AttributeRule, type Rule, rulesFor } from './rules.ts'

/**
 * How a stanza of a client differs from those of the web client, each difference in words without names and ids. An
 * operation that the web client does not send is one difference.
 */
export function differencesOf(stanza: BinaryNode): string[] {
  const candidates = rulesFor(stanza.tag).filter(rule => stanza.tag !== 'iq' || isSameQuery(stanza, rule))
  const subject = subjectOf(stanza)
  if (candidates.length === 0) return [`${subject}: no such stanza`, ...wrongAddress(stanza, subject)]
  const verdicts = candidates.map(rule => compare(stanza, rule, subject))
  return verdicts.reduce((best, next) => (next.length < best.length ? next : best))
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
  if (stanza.tag !== 'iq') return wordOf(stanza.tag)
  const { xmlns = '', type = '' } = stanza.attrs
  return ['iq', xmlns, type, children(stanza)[0]?.tag ?? ''].filter(Boolean).map(wordOf).join(' ')
}

function compare(node: BinaryNode, rule: Rule, path: string): string[] {
  const found: string[] = []
  for (const [name, value] of Object.entries(node.attrs)) {
    const attribute = rule.attrs.get(name)
    if (!attribute) found.push(`${path}: unknown attribute ${wordOf(name)}`)
    else if (!isValueOf(value, attribute)) found.push(`${path}: ${wrongValue(name, value, attribute)}`)
  }
  for (const [name, { isOptional }] of rule.attrs)
    if (!isOptional && node.attrs[name] === undefined) found.push(`${path}: no attribute ${name}`)
  return [...found, ...compareChildren(node, rule, path)]
}

function compareChildren(node: BinaryNode, rule: Rule, path: string): string[] {
  const found: string[] = []
  const counts = new Map<string, number>()
  for (const inner of children(node)) {
    counts.set(inner.tag, (counts.get(inner.tag) ?? 0) + 1)
    const wanted = rule.children.get(inner.tag)
    if (wanted) found.push(...compare(inner, wanted, `${path} > ${inner.tag}`))
    else if (!rule.children.has('*')) found.push(`${path}: unknown child ${wordOf(inner.tag)}`)
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
