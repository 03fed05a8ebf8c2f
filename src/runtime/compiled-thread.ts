import { fileURLToPath } from 'node:url'

const SOURCE = /src[\\/]runtime[\\/]compiled-thread\.ts$/
const COMPILED = /runtime[\\/]compiled-thread\.js$/

/** The path of a thread's compiled entry file. Sources that a test runner executes start the compiled file too. */
export function compiledThread(name: string): string {
  const here = fileURLToPath(import.meta.url)
  const root = SOURCE.test(here) ? here.replace(SOURCE, 'dist/') : here.replace(COMPILED, '')
  return `${root}${name}.js`
}
