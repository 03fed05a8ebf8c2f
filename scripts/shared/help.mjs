import { readFileSync } from 'node:fs'

/** With `--help`, prints the comment at the top of the command's file and exits. */
export function helpIfAsked(url) {
  if (!process.argv.includes('--help') && !process.argv.includes('-h')) return
  const [, comment] = /^\/\*\*\n([\s\S]*?)\n \*\//m.exec(readFileSync(new URL(url), 'utf8'))
  console.log(comment.replaceAll(/^ \* ?/gm, ''))
  process.exit(0)
}
