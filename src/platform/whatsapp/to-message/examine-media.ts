import { type ChildProcess, fork } from 'node:child_process'
import { bundledThread } from '../../../runtime/package-folder.ts'
import type { SealedFile } from './sealed-file.ts'

/**
 * `voice`, `sticker` and `preview` (of a link) write the file as such a message needs it `into` another file. `ffmpeg` is the path of the
 * program.
 */
export type Question = SealedFile &
  (
    | { about: 'thumbnail' | 'square' | 'seconds' }
    | { about: 'video'; ffmpeg: string | null }
    | { about: 'sticker' | 'preview'; into: SealedFile }
    | { about: 'voice'; ffmpeg: string; into: SealedFile }
  )

export interface Findings {
  /** A small JPEG in base64. */
  thumbnail?: string
  /** The middle of a picture as a JPEG of 640 by 640 pixels, in base64. */
  square?: string
  seconds?: number
  width?: number
  height?: number
  /** The loudness of 64 parts of a voice message, from 0 to 100, in base64. */
  waveform?: string
  /** The other file has the converted content. */
  isConverted?: boolean
  /** It waited too long, and was not examined. */
  isUnexamined?: boolean
}

/** Owners take turns, and so do the numbers of each owner. */
export interface Turn {
  readonly owner: string
  readonly number: string
}

interface Job {
  turn: Turn
  question: Question
  done(findings: Findings): void
}

interface ExaminerOptions {
  entry?: string
  /** How long a file may wait to be examined, and how long the examination may take. */
  waitMs?: number
  workMs?: number
}

const IDLE_MS = 10_000
const HEAP_MB = 128

/** Examines files that customers named, one at a time, in a separate process whose failure does no harm. */
export class MediaExaminer {
  readonly #options: Required<ExaminerOptions>
  readonly #waiting = new JobRing<Job>()
  #child: ChildProcess | undefined
  #current: Job | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: ExaminerOptions = {}) {
    this.#options = { entry: bundledThread('media-examiner'), waitMs: 15_000, workMs: 15_000, ...options }
  }

  /** Resolves without findings if the file cannot be read or takes too many resources. */
  examine(turn: Turn, question: Question, signal: AbortSignal): Promise<Findings> {
    return new Promise(resolve => {
      const giveUp = (): void => {
        if (this.#waiting.remove(job)) job.done({ isUnexamined: true })
      }
      const deadline = setTimeout(giveUp, this.#options.waitMs)
      const job: Job = {
        turn,
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
      this.#timer = setTimeout(() => this.#dismiss(), IDLE_MS).unref()
      return
    }
    this.#child ??= this.#startChild()
    this.#timer = setTimeout(() => this.#child && killGroup(this.#child), this.#options.workMs)
    this.#child.send(this.#current.question)
  }

  /** A job that comes now gets another process. */
  #dismiss(): void {
    const child = this.#child
    this.#child = undefined
    child?.disconnect()
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
      // A group of its own, so that the programs that it runs end with it.
      detached: true,
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', (findings: Findings) => {
      if (this.#child === child) this.#finish(findings)
    })
    child.once('exit', () => this.#ended(child))
    // The process could not start, or exited before the job was sent.
    child.on('error', () => this.#ended(child, { isUnexamined: true }))
    child.unref()
    child.channel?.unref()
    return child
  }

  #ended(child: ChildProcess, findings: Findings = {}): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#finish(findings)
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Jobs that are taken in turns, so that neither an owner nor a number with many jobs delays the others. */
export class JobRing<Job extends { readonly turn: Turn }> {
  /** The jobs of each number of each owner. The first owner is the next, and of it the first number. */
  readonly #owners = new Map<string, Map<string, Job[]>>()

  add(job: Job): void {
    const { owner, number } = job.turn
    const numbers = this.#owners.get(owner) ?? new Map<string, Job[]>()
    numbers.set(number, [...(numbers.get(number) ?? []), job])
    this.#owners.set(owner, numbers)
  }

  take(): Job | undefined {
    const [next] = this.#owners
    if (next === undefined) return undefined
    const [owner, numbers] = next
    const [number, [job, ...rest]] = [...numbers][0]!
    numbers.delete(number)
    if (rest.length > 0) numbers.set(number, rest)
    this.#owners.delete(owner)
    if (numbers.size > 0) this.#owners.set(owner, numbers)
    return job
  }

  /** Returns whether the job was still queued. */
  remove(job: Job): boolean {
    const { owner, number } = job.turn
    const numbers = this.#owners.get(owner)
    const jobs = numbers?.get(number) ?? []
    const left = jobs.filter(each => each !== job)
    if (left.length > 0) numbers?.set(number, left)
    else numbers?.delete(number)
    if (numbers?.size === 0) this.#owners.delete(owner)
    return left.length < jobs.length
  }
}

/** All numbers of a thread share it. */
export const examiner = new MediaExaminer()
