import { ANSWERS, PARSED, SENT } from './web-client.ts'

/** What a stanza, or a node inside of it, may look like. */
export interface Rule {
  readonly tag: string
  readonly attrs: ReadonlyMap<string, AttributeRule>
  readonly children: ReadonlyMap<string, Rule>
  readonly isOptional: boolean
  readonly isRepeatable: boolean
}

export interface AttributeRule {
  readonly isOptional: boolean
  /** Either the kind of its values, or all of them. */
  readonly kind?: string
  readonly literals?: ReadonlySet<string>
}

const NODE = /^( *)(\S+?)([?*+]?)(?: (.*))?$/
const ATTRIBUTE = /^([^?:=]+)(\??)([:=])(.*)$/

/** Reads the notation of the table, in which children are indented. Lines that begin with # are left out. */
function readRules(text: string): Rule[] {
  const roots: Rule[] = []
  const open: { rule: Rule; children: Map<string, Rule> }[] = []
  for (const line of text.split('\n')) {
    const [, indent = '', tag = '', count = '', attrs = ''] = NODE.exec(line) ?? []
    if (tag === '' || tag.startsWith('#')) continue
    const children = new Map<string, Rule>()
    const isOptional = count === '?' || count === '*'
    const isRepeatable = count === '*' || count === '+'
    const rule = { tag, attrs: attributesIn(attrs), children, isOptional, isRepeatable }
    const depth = indent.length / 2
    open.length = depth
    const parent = open.at(-1)
    if (parent) parent.children.set(tag, rule)
    else roots.push(rule)
    open.push({ rule, children })
  }
  return roots
}

function attributesIn(text: string): Map<string, AttributeRule> {
  const attrs = new Map<string, AttributeRule>()
  for (const written of text.split(' ').filter(Boolean)) {
    const [, name = '', optional, sign, value = ''] = ATTRIBUTE.exec(written) ?? []
    const isOptional = optional === '?'
    attrs.set(name, sign === ':' ? { isOptional, kind: value } : { isOptional, literals: new Set(value.split('|')) })
  }
  return attrs
}

interface Table {
  /** By tag: what the web client sends. */
  readonly sent: ReadonlyMap<string, readonly Rule[]>
  /** By tag: what its parsers demand of the server's stanzas. */
  readonly parsed: ReadonlyMap<string, readonly Rule[]>
  /** What its parsers demand of the answers to a query. */
  readonly answers: ReadonlyMap<Rule, readonly Rule[]>
}

let table: Table | undefined

/** The table is read when it is used first. */
export function rules(): Table {
  table ??= readTable()
  return table
}

function readTable(): Table {
  const sent = readRules(SENT)
  const answers = ANSWERS.split('\n-\n').map(readRules)
  // The queries come first, in the order of their answers.
  const pairs = answers.map((each, index) => [sent[index]!, each] as const)
  return { sent: groupByTag(sent), parsed: groupByTag(readRules(PARSED)), answers: new Map(pairs) }
}

function groupByTag(all: readonly Rule[]): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>()
  for (const rule of all) groups.set(rule.tag, [...(groups.get(rule.tag) ?? []), rule])
  return groups
}
