import { type ChildProcess, fork } from 'node:child_process'
import { compiledThread } from '../../../runtime/compiled-thread.ts'
import type { SealedFile } from './sealed-file.ts'

export interface Question extends SealedFile {
  about: 'thumbnail' | 'seconds'
}

export interface Findings {
  /** A small JPEG in base64. */
  thumbnail?: string
  seconds?: number
}

interface Job {
  owner: string
  question: Question
  done(findings: Findings): void
}

interface ExaminerOptions {
  entry?: string
  /** How long a file waits until it is looked into, and how long that may take. */
  waitMs?: number
  workMs?: number
}

const ENTRY = 'platform/whatsapp/to-message/media-examiner'
const IDLE_MS = 10_000
const HEAP_MB = 128

/** Looks into files that customers named, one at a time, in a process that may fail without harm. */
export class MediaExaminer {
  readonly #options: Required<ExaminerOptions>
  readonly #waiting = new JobRing<Job>()
  #child: ChildProcess | undefined
  #current: Job | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: ExaminerOptions = {}) {
    this.#options = { entry: compiledThread(ENTRY), waitMs: 5_000, workMs: 5_000, ...options }
  }

  /** Answers with nothing where the file cannot be understood, takes too much, or others wait before it for too long. */
  examine(owner: string, question: Question, signal: AbortSignal): Promise<Findings> {
    return new Promise(resolve => {
      const giveUp = (): void => {
        if (this.#waiting.remove(job)) job.done({})
      }
      const deadline = setTimeout(giveUp, this.#options.waitMs)
      const job: Job = {
        owner,
        question,
        done: findings => {
          clearTimeout(deadline)
          signal.removeEventListener('abort', giveUp)
          resolve(findings)
        },
      }
      signal.addEventListener('abort', giveUp)
      this.#waiting.add(job)
      this.#next()
    })
  }

  #next(): void {
    if (this.#current !== undefined) return
    clearTimeout(this.#timer)
    this.#current = this.#waiting.take()
    if (this.#current === undefined) {
      this.#timer = setTimeout(() => this.#child?.disconnect(), IDLE_MS).unref()
      return
    }
    this.#child ??= this.#startChild()
    this.#timer = setTimeout(() => this.#child?.kill('SIGKILL'), this.#options.workMs)
    this.#child.send(this.#current.question)
  }

  #finish(findings: Findings): void {
    const job = this.#current
    this.#current = undefined
    job?.done(findings)
    this.#next()
  }

  #startChild(): ChildProcess {
    const child = fork(this.#options.entry, {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', (findings: Findings) => {
      if (this.#child === child) this.#finish(findings)
    })
    child.once('exit', () => this.#ended(child))
    // It could not be started, or is going away while it is asked.
    child.on('error', () => this.#ended(child))
    child.unref()
    child.channel?.unref()
    return child
  }

  #ended(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#finish({})
  }
}

/** Work of many owners, one job of each after the other: whoever has much waits for those who have little. */
export class JobRing<Job extends { readonly owner: string }> {
  readonly #byOwner = new Map<string, Job[]>()

  add(job: Job): void {
    this.#byOwner.set(job.owner, [...(this.#byOwner.get(job.owner) ?? []), job])
  }

  take(): Job | undefined {
    const [first] = this.#byOwner
    if (first === undefined) return undefined
    const [owner, [job, ...rest]] = first
    this.#byOwner.delete(owner)
    if (rest.length > 0) this.#byOwner.set(owner, rest)
    return job
  }

  /** Whether it was still there. */
  remove(job: Job): boolean {
    const jobs = this.#byOwner.get(job.owner) ?? []
    const left = jobs.filter(each => each !== job)
    if (left.length === 0) this.#byOwner.delete(job.owner)
    else this.#byOwner.set(job.owner, left)
    return left.length < jobs.length
  }
}
