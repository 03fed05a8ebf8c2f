import { type ChildProcess, fork } from 'node:child_process'
import { compiledThread } from '../../../thread.ts'
import type { SealedFile } from './sealed-file.ts'

export interface Question extends SealedFile {
  about: 'thumbnail' | 'seconds'
}

export interface Findings {
  /** A small JPEG in base64. */
  thumbnail?: string
  seconds?: number
}

/** Looks into files that customers named, one at a time, in a process that may fail without harm. */
export interface MediaExaminer {
  /** Answers with nothing where the file cannot be understood, takes too much, or others wait before it for too long. */
  examine(owner: string, question: Question, signal: AbortSignal): Promise<Findings>
}

interface Job {
  owner: string
  question: Question
  done(findings: Findings): void
}

interface ExaminerOptions {
  entry?: string
  /** How long a file waits for its turn, and how long it may take then. */
  waitMs?: number
  workMs?: number
}

const ENTRY = 'platform/whatsapp/to-message/media-examiner'
const IDLE_MS = 10_000
const HEAP_MB = 128

export function createMediaExaminer(options: ExaminerOptions = {}): MediaExaminer {
  const { entry = compiledThread(ENTRY), waitMs = 5_000, workMs = 5_000 } = options
  const waiting = createRing()
  let child: ChildProcess | undefined
  let current: Job | undefined
  let timer: NodeJS.Timeout | undefined

  function next(): void {
    if (current !== undefined) return
    clearTimeout(timer)
    current = waiting.take()
    if (current === undefined) {
      timer = setTimeout(() => child?.disconnect(), IDLE_MS).unref()
      return
    }
    child ??= startChild()
    timer = setTimeout(() => child?.kill('SIGKILL'), workMs)
    child.send(current.question)
  }

  function finish(findings: Findings): void {
    const job = current
    current = undefined
    job?.done(findings)
    next()
  }

  function startChild(): ChildProcess {
    const started = fork(entry, {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = (): void => {
      if (child !== started) return
      child = undefined
      finish({})
    }
    started.on('message', (findings: Findings) => {
      if (child === started) finish(findings)
    })
    started.once('exit', ended)
    // It could not be started, or is going away while it is asked.
    started.on('error', ended)
    started.unref()
    started.channel?.unref()
    return started
  }

  const examine: MediaExaminer['examine'] = (owner, question, signal) =>
    new Promise(resolve => {
      const giveUp = (): void => {
        if (waiting.remove(job)) job.done({})
      }
      const deadline = setTimeout(giveUp, waitMs)
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
      waiting.add(job)
      next()
    })
  return { examine }
}

/** Jobs of many owners, who take turns: whoever has many waits for those who have few. */
function createRing() {
  const owners = new Map<string, Job[]>()
  return {
    add(job: Job): void {
      owners.set(job.owner, [...(owners.get(job.owner) ?? []), job])
    },
    take(): Job | undefined {
      const [first] = owners
      if (first === undefined) return undefined
      const [owner, [job, ...rest]] = first
      owners.delete(owner)
      if (rest.length > 0) owners.set(owner, rest)
      return job
    },
    remove(job: Job): boolean {
      const jobs = owners.get(job.owner) ?? []
      const left = jobs.filter(each => each !== job)
      if (left.length === 0) owners.delete(job.owner)
      else owners.set(job.owner, left)
      return left.length < jobs.length
    },
  }
}
