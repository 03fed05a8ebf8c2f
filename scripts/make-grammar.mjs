/**
 * Makes `simulator/src/grammar/web-client.ts`: what WhatsApp Web sends, as far as a gateway sends it too. The argument is
 * the folder, or the git repository, of an extraction from WhatsApp Web that has `packages/xml/index.json` and
 * `packages/proto/WAProto.proto`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const INDEX = 'packages/xml/index.json'
const PROTO = 'packages/proto/WAProto.proto'
const TARGET = new URL('../simulator/src/grammar/web-client.ts', import.meta.url)

/** The queries that a gateway sends, by their name in the extraction. */
const QUERIES = [
  'ActiveIQ',
  'PassiveIQ',
  'Add',
  'Clean',
  'Client',
  'CompanionFinish',
  'CompanionHello',
  'FetchDigest',
  'FetchKeyBundles',
  'FetchMissingPreKeys',
  'GetBlockList',
  'GetCountryCode',
  'GetExperimentConfig',
  'GetGroupInfo',
  'GetNewsletterMessageUpdates',
  'GetNewsletterMessages',
  'GetParticipatingGroups',
  'GetPasskeyRequestOptions',
  'GetRef',
  'PreSet',
  'RotateSigned',
  'SetCompanionNonce',
  'SetEncryptedPairingRequest',
  'SetPasskeyPrologue',
  'SubscribeToLiveUpdates',
]
/** The queries of the server that a gateway answers. */
const ANSWERED = ['ServerPing', 'SetReg', 'SetToCompanion']
/** Other stanzas that a gateway sends. What the extraction says of one kind of them is merged from many kinds. */
const SENT = ['ack', 'chatstate', 'ib', 'message', 'presence', 'receipt']

/** What the server sends without a query, by its name in the extraction. */
const ANNOUNCED = [
  'AccountNotification',
  'AckKick',
  'AddNotification',
  'AppdataDeliverPeer',
  'ClientExpiration',
  'Code',
  'Completion',
  'Conflict',
  'DeleteNotification',
  'DemoteNotification',
  'DirtyNotify',
  'EdgeRouting',
  'Failure',
  'GroupsDirtyNotification',
  'JoinNotification',
  'LiveUpdatesNotification',
  'MemberAddModeChangeNotification',
  'NewPatch',
  'NotificationDigest',
  'NotificationLowCount',
  'PasskeyPrologueRequestNotification',
  'Preview',
  'PrimaryHelloNotifyCompanion',
  'PromoteNotification',
  'RefreshCodeNotifyCompanion',
  'RemoveNotification',
  'ServerNotification',
  'ServerPing',
  'ServerUpdate',
  'SetPrimaryEphemeralIdentityNotification',
  'SetReg',
  'SetToCompanion',
  'SubjectChangeNotification',
  'Success',
  'ThreadMetadata',
  'UsyncNotification',
]
/**
 * The same, of which the client has parsers that are written by hand: the stanza, its variant, and those children of
 * which the extraction tells more than a mixture of their uses.
 */
const PARSED = [
  ['call', undefined, []],
  ['message', 'from-is-not-newsletter', ['biz', 'enc', 'reporting', 'unavailable']],
  ['message', 'from-is-newsletter', []],
  ['notification', 'business', ['profile', 'remove', 'verified_name']],
  ['notification', 'companion_reg_refresh', []],
  ['notification', 'contacts', ['add', 'modify', 'remove', 'sync', 'update']],
  ['notification', 'disappearing_mode', ['disappearing_mode']],
  ['notification', 'encrypt/identity', ['identity']],
  ['notification', 'mediaretry', ['encrypt', 'error']],
  ['notification', 'mex', ['update']],
  ['notification', 'picture', ['delete', 'set']],
  ['notification', 'privacy_token', ['tokens']],
  ['notification', 'server', ['abprops', 'log']],
  ['notification', 'status', ['set']],
  ['receipt', 'is-not-call-receipt', ['biz', 'error', 'list', 'participants']],
  ['receipt', 'retry', ['keys', 'retry']],
]

const KINDS = {
  stanzaId: 'id',
  groupJid: 'group',
  newsletterJid: 'channel',
  userJid: 'person',
  lidUserJid: 'person',
  deviceJid: 'device',
  callId: 'string',
}
/** The names of the server and of all groups, which are addresses. */
const DOMAINS = new Set(['s.whatsapp.net', 'g.us'])

function read(from, path) {
  const file = join(from, path)
  return existsSync(file)
    ? readFileSync(file, 'utf8')
    : execFileSync('git', ['-C', from, 'show', `HEAD:${path}`], { encoding: 'utf8', maxBuffer: 1 << 26 })
}

/** The fields of a message, each with its number and name. */
function contentsIn(proto) {
  const [, body] = /^message Message \{\n([\s\S]*?)^\}/m.exec(proto)
  const fields = [...body.matchAll(/^ {4}optional \S+ (\w+) = (\d+);/gm)]
  return fields.map(([, name, number]) => `${number} ${name}`)
}

const inOrder = literals => [...new Set(literals)].sort((a, b) => (a < b ? -1 : 1)).join('|')

/** One notation for the values of an attribute: `:kind`, or `=` with the literals. */
function valueOf({ type, value, enumValues }) {
  if (type === 'literal') return `=${DOMAINS.has(value) ? `@${value}` : value}`
  if (enumValues?.length > 0) return `=${inOrder(enumValues)}`
  return `:${KINDS[type] ?? type}`
}

/** Kinds that have something in common, behind the kind that has them all. */
const ADDRESSES = [':jid', ':person', ':device', ':group', ':channel']
const NUMBERS = [':int', ':time']

/** Both values; an attribute that is free somewhere is free. */
function eitherValue(one, other) {
  if (one === other) return one
  if (one.startsWith('=') && other.startsWith('=')) {
    return `=${inOrder([...one.slice(1).split('|'), ...other.slice(1).split('|')])}`
  }
  return [ADDRESSES, NUMBERS].find(group => group.includes(one) && group.includes(other))?.[0] ?? ':string'
}

const isSent = ({ direction }) => direction === 'out' || direction === 'both'

/** A node of the extraction as a node of the table. */
function nodeOf(node, takes = () => true) {
  const attrs = Object.entries(node.attrs ?? {}).filter(([, attr]) => takes(attr))
  const made = {
    tag: node.tag,
    attrs: new Map(attrs.map(([name, attr]) => [name, { value: valueOf(attr), isOptional: attr.optional === true }])),
    children: new Map(),
    // A node that stands for itself; inside of a mixin it may belong to another kind of stanza.
    min: node.min ?? (node.presence && !node.appliedMixin ? 1 : 0),
    max: node.max ?? (node.presence ? 1 : Number.POSITIVE_INFINITY),
  }
  for (const child of node.children ?? []) {
    if (child.tag === undefined) continue
    const known = made.children.get(child.tag)
    made.children.set(child.tag, known ? merged(known, nodeOf(child, takes)) : nodeOf(child, takes))
  }
  return made
}

/** What either node allows; only what both demand is demanded. */
function merged(one, other) {
  const attrs = new Map()
  for (const name of new Set([...one.attrs.keys(), ...other.attrs.keys()])) {
    const [a, b] = [one.attrs.get(name), other.attrs.get(name)]
    const value = a && b ? eitherValue(a.value, b.value) : (a ?? b).value
    attrs.set(name, { value, isOptional: !a || !b || a.isOptional || b.isOptional })
  }
  const children = new Map()
  for (const tag of new Set([...one.children.keys(), ...other.children.keys()])) {
    const [a, b] = [one.children.get(tag), other.children.get(tag)]
    children.set(tag, a && b ? merged(a, b) : { ...(a ?? b), min: 0 })
  }
  const min = Math.min(one.min, other.min)
  return { tag: one.tag, attrs, children, min, max: Math.max(one.max, other.max) }
}

/** Demands of nodes inside a merged stanza are those of some kind of it, so none is kept. */
function relaxed({ attrs, children, ...node }, demanded = []) {
  const free = [...attrs].map(([name, attr]) => [name, { ...attr, isOptional: !demanded.includes(name) }])
  return {
    ...node,
    attrs: new Map(free),
    children: new Map([...children].map(([tag, child]) => [tag, { ...relaxed(child), min: 0 }])),
  }
}

/** Queries of which the extraction merges several forms. */
const MERGED = new Set(['Add', 'CompanionFinish', 'CompanionHello', 'PreSet', 'RotateSigned'])

const DEMANDED = {
  ack: ['class', 'id', 'to'],
  chatstate: ['to'],
  message: ['id', 'to', 'type'],
  receipt: ['id', 'to'],
}

const variantsOf = stanza => Object.entries(stanza.variants ?? { '': stanza }).filter(([, { node }]) => node)

function sentStanza({ stanzas, operations }, tag) {
  const described = variantsOf(stanzas[tag]).map(([, { node }]) => nodeOf(node, isSent))
  const published = Object.values(operations)
    .filter(({ rootTag, request }) => rootTag === tag && request?.node)
    .map(({ request }) => nodeOf(request.node))
  const stanza = relaxed([...described, ...published].reduce(merged), DEMANDED[tag])
  // The client repeats the tag and the type of the stanza that it confirms, and the extraction has only some of them.
  if (tag === 'ack') {
    stanza.attrs.set('class', { value: ':string', isOptional: false })
    stanza.attrs.set('type', { value: ':string', isOptional: true })
  }
  return stanza
}

/** Parts that come from optional additions to a stanza, although the extraction shows them as demanded. */
const ADDED_ATTRIBUTES =
  /(_pn|_username|_lid|_country_code|_hash)$|^(category|context_group_jid|count_low|display_name|edit|key|notify|offline|recipient|server_id|to)$/
const ADDED_CHILDREN = new Set([
  'device-identity',
  'key',
  'padding',
  'pq_list',
  'pqkey',
  'registration',
  'ta_pad',
  'test',
  'trace',
])
/** What tells one stanza from another. */
const NAMING = new Set(['class', 'stage', 'type', 'xmlns'])
/** Stanzas of which the extraction merges kinds that have little in common, and what they have. */
const MIXTURES = new Set(['chatstate', 'message', 'presence'])
const SURE = new Set(['from', 'id', 't'])

/** A node as a parser of the client demands it. A node of several variants demands only what all of them have. */
function parsedNode(node, isRoot = false) {
  const isVaried = node.__variants !== undefined
  const attrs = Object.entries(node.attrs ?? {}).flatMap(([name, attr]) => {
    if (attr.direction === 'out') return []
    const isNaming = isRoot && NAMING.has(name) && attr.type === 'literal'
    const isSure = isRoot && (!MIXTURES.has(node.tag) || (SURE.has(name) && attr.type !== 'groupJid'))
    if (isVaried && !isNaming && !isSure) return []
    const isOptional = !isNaming && (attr.optional === true || ADDED_ATTRIBUTES.test(name))
    const value = valueOf(attr)
    // An optional attribute of any value says nothing.
    return isOptional && value === ':string' ? [] : [[name, { value, isOptional }]]
  })
  const children = new Map()
  for (const child of node.children ?? []) {
    if (child.tag === undefined || child.tag === '*' || child.__helper !== undefined) continue
    const made = parsedNode(child)
    const isAdded = ADDED_CHILDREN.has(child.tag) && node.tag !== 'pair-success'
    if (isVaried || child.presence || isAdded) made.min = 0
    if (made.min > 0 || made.attrs.size > 0 || made.children.size > 0) children.set(child.tag, made)
  }
  const { min = 1, max } = node
  return { tag: node.tag, attrs: new Map(attrs), children, min, max: max ?? Number.POSITIVE_INFINITY }
}

/** Each child of such a stanza is one of several; names of people may have a device. */
function handParsed(node, kept) {
  const { attrs, children, ...stanza } = parsedNode(node, true)
  const free = [...attrs].map(([name, attr]) => [name, attr.value === ':person' ? { ...attr, value: ':device' } : attr])
  const shown = kept.map(tag => children.get(tag) ?? { tag, attrs: new Map(), children: new Map(), max: 1 })
  return { ...stanza, attrs: new Map(free), children: new Map(shown.map(child => [child.tag, { ...child, min: 0 }])) }
}

function parsedStanzas({ stanzas, operations }) {
  const announced = ANNOUNCED.map(name => parsedNode(operations[name].responses[0].node, true))
  const parsed = PARSED.map(([tag, variant, kept]) =>
    handParsed((variant === undefined ? stanzas[tag] : stanzas[tag].variants[variant]).node, kept),
  )
  return [...announced, ...parsed]
}

/** Every kind of stanza that the server can begin with: the tag, its type, and the child that tells it from others. */
function vocabularyIn({ stanzas, operations }) {
  const inside = node =>
    (node.children ?? []).flatMap(({ tag, __variants }) => (tag === '*' ? (__variants ?? []) : [tag]))
  const kinds = (prefix, node) => (inside(node).length === 0 ? [prefix] : inside(node).map(tag => `${prefix} ${tag}`))
  const notifications = [
    ...variantsOf(stanzas.notification).map(([type, { node }]) => [type.split('/')[0], node]),
    ...Object.values(operations)
      .flatMap(({ responses }) => responses)
      .filter(({ node, variant }) => variant === 'Request' && node?.tag === 'notification' && node.attrs.type.value)
      .map(({ node }) => [node.attrs.type.value, node]),
  ].flatMap(([type, node]) => kinds(`notification ${type}`, node))
  const receipts = variantsOf(stanzas.receipt).flatMap(([, { node }]) => {
    const { enumValues, value } = node.attrs.type
    return (enumValues ?? [value]).map(type => `receipt ${type}`)
  })
  const others = ['call', 'ib'].flatMap(tag => kinds(tag, stanzas[tag].node))
  const all = [...new Set([...notifications, ...receipts, ...others])].filter(kind => !kind.endsWith('*'))
  return all.sort((a, b) => (a < b ? -1 : 1))
}

/** The answers to each query, in the order of the queries. */
const answersIn = ({ operations }) =>
  QUERIES.map(name => {
    const answers = operations[name].responses.map(({ node }) => parsedNode(node, true))
    if (MERGED.has(name)) for (const { children } of answers) for (const child of children.values()) child.min = 0
    return answers.map(answer => written(answer))
  })

const DEPTH = '  '

function written(node, depth = 0) {
  const attrs = [...node.attrs]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, { value, isOptional }]) => `${name}${isOptional ? '?' : ''}${value}`)
  const count =
    depth === 0 || (node.min === 1 && node.max === 1) ? '' : node.min === 0 ? (node.max === 1 ? '?' : '*') : '+'
  const lines = [`${DEPTH.repeat(depth)}${[`${node.tag}${count}`, ...attrs].join(' ')}`]
  for (const child of [...node.children.values()].sort((a, b) => a.tag.localeCompare(b.tag)))
    lines.push(...written(child, depth + 1))
  return lines
}

function queriesIn({ operations }) {
  const asked = QUERIES.map(name => {
    const node = nodeOf(operations[name].request.node)
    return MERGED.has(name) ? relaxed(node, ['id', 'to', 'type', 'xmlns']) : node
  })
  const answered = ANSWERED.flatMap(name => operations[name].outgoingResponses.map(({ node }) => nodeOf(node)))
  return [...asked, ...answered]
}

const [from] = process.argv.slice(2)
if (from === undefined) throw new Error('usage: node scripts/make-grammar.mjs PATH_OF_EXTRACTION')
const extraction = JSON.parse(read(from, INDEX))
const sent = [
  ...queriesIn(extraction).map(query => written(query)),
  ...SENT.map(tag => written(sentStanza(extraction, tag))),
]
const text = `/**
 * Facts about WhatsApp Web, made by \`scripts/make-grammar.mjs\`. A line is a tag with its attributes; its children are
 * indented. \`name:kind\` is a value of a kind, \`name=a|b\` one of the literals; \`?\` marks what may be missing, \`*\`
 * what may be missing or repeated, \`+\` what may be repeated.
 */
export const VERSION = '${extraction.waVersion}'

/** What the client sends. */
export const SENT = \`
${sent.flat().join('\n')}
\`

/** What the client's parsers demand of the server's stanzas; further attributes and children are allowed. */
export const PARSED = \`
${parsedStanzas(extraction)
  .flatMap(node => written(node))
  .join('\n')}
\`

/** The same of the answers to the queries above, in their order, with a line between the queries. */
export const ANSWERS = \`
${answersIn(extraction)
  .map(answers => answers.flat().join('\n'))
  .join('\n-\n')}
\`

/** What the server can begin with. */
export const VOCABULARY = \`
${vocabularyIn(extraction).join('\n')}
\`

/** The contents of messages. */
export const CONTENTS = \`
${contentsIn(read(from, PROTO)).join('\n')}
\`
`
writeFileSync(TARGET, text)
console.log(`${text.length} characters of WhatsApp Web ${extraction.waVersion}`)
