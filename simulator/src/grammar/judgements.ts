import type { BinaryNode } from '../wire/node.ts'
import { judgeClient, judgeServer, kindsOf } from './judge.ts'
import { KNOWN } from './known-differences.ts'
import type { Rule } from './rules.ts'

/** More shapes than clients have; hostile clients must not fill the memory. */
const MAX_SHAPES = 500
/** The number of unanswered queries per link whose answers are compared. */
const MAX_QUERIES = 100

/** How many stanzas were compared. */
export interface Judged {
  client: number
  server: number
}

/**
 * Compares every stanza of the clients with those of the web client, and every stanza of the server with what the web
 * client's parsers demand. Counts the differences by their shape.
 */
export class Judgements {
  readonly judged: Judged = { client: 0, server: 0 }
  /** The kinds of stanzas that the server has sent. */
  readonly said = new Set<string>()
  readonly #counts = new Map<string, number>()
  readonly #exempt = new WeakSet<BinaryNode>()
  readonly #onNew: (shape: string) => void

  /** `onNew` is called once for each unknown difference. */
  constructor(onNew: (shape: string) => void = () => {}) {
    this.#onNew = onNew
  }

  openLink(): JudgedLink {
    return new JudgedLink(this)
  }

  /** This stanza of the server differs on purpose. */
  exempt(stanza: BinaryNode): void {
    this.#exempt.add(stanza)
  }

  isExempt(stanza: BinaryNode): boolean {
    return this.#exempt.has(stanza)
  }

  count(differences: readonly string[]): void {
    for (const shape of differences) {
      const count = this.#counts.get(shape)
      if (count === undefined && this.#counts.size >= MAX_SHAPES) continue
      this.#counts.set(shape, (count ?? 0) + 1)
      if (count === undefined && !KNOWN.has(shape)) this.#onNew(shape)
    }
  }

  /** The differences that are not known, with their counts. */
  differences(): Array<readonly [shape: string, count: number]> {
    return [...this.#counts].filter(([shape]) => !KNOWN.has(shape))
  }

  /** The known differences that occurred. */
  known(): string[] {
    return [...this.#counts.keys()].filter(shape => KNOWN.has(shape))
  }
}

/** The stanzas of one link: the answer to a query has its id. */
export class JudgedLink {
  readonly #judgements: Judgements
  readonly #queries = new Map<string, Rule>()

  constructor(judgements: Judgements) {
    this.#judgements = judgements
  }

  fromClient(stanza: BinaryNode): void {
    const { differences, rule } = judgeClient(stanza)
    this.#judgements.judged.client += 1
    this.#judgements.count(differences)
    const { id, type } = stanza.attrs
    const isQuery = stanza.tag === 'iq' && (type === 'get' || type === 'set')
    if (isQuery && rule && id !== undefined && this.#queries.size < MAX_QUERIES) this.#queries.set(id, rule)
  }

  fromServer(stanza: BinaryNode): void {
    const query = this.#queries.get(stanza.attrs.id ?? '')
    if (stanza.tag === 'iq') this.#queries.delete(stanza.attrs.id ?? '')
    if (this.#judgements.isExempt(stanza)) return
    this.#judgements.judged.server += 1
    for (const kind of kindsOf(stanza)) if (this.#judgements.said.size < MAX_SHAPES) this.#judgements.said.add(kind)
    this.#judgements.count(judgeServer(stanza, query).differences)
  }
}
