import { ConfigError } from '../../config.ts'
import { ACCEPT } from '../refusal.ts'

/** What a gateway answered; a body that is no JSON is an empty one. */
export interface Answer {
  status: number
  json: Record<string, unknown>
}

/** The public interface of a running gateway, with a customer's key. */
export class TrialApi {
  readonly #base: string
  readonly #key: string

  constructor(base: string, key: string) {
    this.#base = base.replace(/\/+$/, '')
    this.#key = key
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(this.#base + path, {
      method,
      headers: {
        ...ACCEPT,
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => {
      throw new ConfigError(`no gateway answers at ${this.#base}. Start it, or name another with --url.`)
    })
    const json = (await answer.json().catch(() => ({}))) as Record<string, unknown>
    if (answer.status === 401) throw new ConfigError('the gateway does not know this key. Give another with --key.')
    return { status: answer.status, json }
  }

  /** The same, where anything but success ends the step. */
  async expect(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { status, json } = await this.ask(method, path, body)
    if (status >= 200 && status < 300) return json
    throw new StepFailed(`the gateway answered ${status}`)
  }

  /** The version of the web client that the gateway shows, where this machine may know it. */
  async webVersion(): Promise<string | null> {
    const answer = await fetch(`${this.#base}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null)
    const text = (await answer?.text().catch(() => '')) ?? ''
    return /^postern_platform_version_info\{[^}]*version="([\d.]+)"/m.exec(text)?.[1] ?? null
  }
}

const ANSWER_MS = 40_000

/** Why a step did not come to its end, in words that hold nothing of anybody. */
export class StepFailed extends Error {
  override name = 'StepFailed'
}

/** A step that cannot be tried here. */
export class StepSkipped extends Error {
  override name = 'StepSkipped'
}
