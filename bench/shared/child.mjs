import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs a part of a benchmark in a child process; `ask` calls one of its functions by name. */
export function startChild(file, env = {}) {
  const script = fileURLToPath(file)
  const child = fork(script, {
    env: { ...process.env, ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map()
  let serial = 0
  const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }))
  ready.catch(() => {})
  child.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) resolve(value)
    else reject(new Error(`${script}: ${error}`))
  })
  const ended = new Promise(resolve => {
    child.once('exit', code => {
      for (const { reject } of waiting.values()) reject(new Error(`${script} ended with ${code}`))
      resolve()
    })
  })
  return {
    ask: async (name, input) => {
      await ready
      return await new Promise((resolve, reject) => {
        waiting.set(++serial, { resolve, reject })
        child.send({ id: serial, name, input })
      })
    },
    stop: async () => {
      child.disconnect()
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The child's side: calls the function of that name and sends its result; exits with the parent. */
export function answerParent(answers, onEnd = async () => {}) {
  const answer = async ({ id, name, input }) => {
    try {
      process.send({ id, value: await answers[name](input) })
    } catch (error) {
      process.send({ id, error: error.stack })
    }
  }
  process.on('message', message => void answer(message))
  process.on('disconnect', () => void onEnd().then(() => process.exit(0)))
  process.send({ id: 0 })
}

/** Runs `work` over the items, up to `atOnce` at a time. */
export async function eachOf(items, atOnce, work) {
  const queue = items.entries()
  const results = []
  const run = async () => {
    for (const [i, item] of queue) results[i] = await work(item, i)
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  return results
}

export const later = ms => new Promise(resolve => setTimeout(resolve, ms))

/** The quantile of the values at this share. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
