import { type PosternClient, PosternError } from '#sdk'

/** An error that ends the trial and that the user can correct; the message says how. */
export class TrialError extends Error {
  override name = 'TrialError'
  /** A page that explains the error, if there is one. */
  readonly readOn: string | undefined

  constructor(message: string, { readOn }: { readOn?: string | undefined } = {}) {
    super(message)
    this.readOn = readOn
  }
}

/** Why a step failed. The text names no number and no person. */
export class StepFailed extends Error {
  override name = 'StepFailed'
}

/** The step cannot be tried here. */
export class StepSkipped extends Error {
  override name = 'StepSkipped'
}

const METRICS_MS = 40_000

type Call<T> = (client: PosternClient) => Promise<T>

/** The API of the gateway. A key that it rejects, or a gateway that does not respond, ends the trial. */
export class TrialApi {
  readonly #client: PosternClient
  readonly #url: string

  constructor(client: PosternClient, url: string) {
    this.#client = client
    this.#url = url.replace(/\/+$/, '')
  }

  /** Rejects with a PosternError if the gateway rejects the request. */
  async call<T>(work: Call<T>): Promise<T> {
    try {
      return await work(this.#client)
    } catch (error) {
      if (!(error instanceof PosternError)) throw error
      if (error.status === 0)
        throw new TrialError(`no gateway answers at ${this.#url}. Start it, or name another with --url.`)
      if (error.status === 401) throw new TrialError('the gateway does not know this key. Give another with --key.')
      throw error
    }
  }

  /** A rejection fails the step. */
  async expect<T>(work: Call<T>): Promise<T> {
    return await this.call(work).catch((error: unknown) => {
      throw error instanceof PosternError ? new StepFailed(`the gateway answered ${error.status}`) : error
    })
  }

  /** A rejection ends the trial; `option` is the one that the user has to correct. */
  async need<T>(option: string, work: Call<T>): Promise<T> {
    return await this.call(work).catch((error: unknown) => {
      if (!(error instanceof PosternError)) throw error
      const text = `${option}: the gateway answered ${error.status}: ${error.message}`
      throw new TrialError(text, { readOn: error.docUrl })
    })
  }

  /** The version of the web client that the gateway reports, if this machine may read its metrics. */
  async webVersion(): Promise<string | null> {
    const response = await fetch(`${this.#url}/metrics`, { signal: AbortSignal.timeout(METRICS_MS) }).catch(() => null)
    const text = (await response?.text().catch(() => '')) ?? ''
    return /^postern_platform_version_info\{[^}]*version="([\d.]+)"/m.exec(text)?.[1] ?? null
  }
}
