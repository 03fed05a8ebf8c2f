import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process that takes part in a benchmark; resolves with the first thing that it says. Its output goes nowhere. */
export function startPart(file, env = {}) {
  const script = fileURLToPath(file)
  return new Promise((resolve, reject) => {
    const child = fork(script, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    child.once('message', first => resolve({ child, first }))
    child.once('exit', code => reject(new Error(`${script} ended with ${code}`)))
  })
}

/** Answers the part's next word. */
export function askPart({ child }, question) {
  return new Promise((resolve, reject) => {
    const onExit = code => reject(new Error(`ended with ${code} when asked ${JSON.stringify(question)}`))
    child.once('exit', onExit)
    child.once('message', answer => {
      child.off('exit', onExit)
      resolve(answer)
    })
    child.send(question)
  })
}

/** Tells the part to stop, and waits until it has. */
export async function stopPart({ child }) {
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.send({ stop: true })
  await ended
}
