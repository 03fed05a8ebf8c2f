import { fileURLToPath } from 'node:url'

/** The compiled entry of a thread. Sources run by a test runner start the compiled one too. */
export function compiledThread(name: string): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.endsWith('.ts') ? here.replace(/src[\\/]thread\.ts$/, 'dist/') : here.replace(/thread\.js$/, '')
  return `${root}${name}.js`
}
