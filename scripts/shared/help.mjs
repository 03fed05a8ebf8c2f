import { readFileSync } from 'node:fs'

/** Where `--help` is asked for, prints what a command says of itself at its top, and ends. */
export function helpIfAsked(url) {
  if (!process.argv.includes('--help') && !process.argv.includes('-h')) return
  const [, comment] = /^\/\*\*\n([\s\S]*?)\n \*\//m.exec(readFileSync(new URL(url), 'utf8'))
  console.log(comment.replaceAll(/^ \* ?/gm, ''))
  process.exit(0)
}
