import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { killOnExit } from './kill-on-exit.mjs'

/** Starts a process of a benchmark; resolves with its first message. Discards its output. */
export function startPart(file, env = {}) {
  const script = fileURLToPath(file)
  return new Promise((resolve, reject) => {
    const child = killOnExit(
      fork(script, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
    child.once('message', first => resolve({ child, first }))
    child.once('exit', code => reject(new Error(`${script} ended with ${code}`)))
  })
}

/** Sends a message to the process and returns its next one. */
export function askPart({ child }, question) {
  return new Promise((resolve, reject) => {
    const onExit = code => reject(new Error(`ended with ${code} while handling ${JSON.stringify(question)}`))
    child.once('exit', onExit)
    child.once('message', answer => {
      child.off('exit', onExit)
      resolve(answer)
    })
    child.send(question)
  })
}

/** Stops the process and waits for its end. */
export async function stopPart({ child }) {
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.send({ stop: true })
  await ended
}
