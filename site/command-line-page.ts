import type * as Commands from '../src/cli/commands.ts'
import { codeFigure } from './code.ts'
import { escapeHtml } from './html.ts'
import type { Heading } from './markdown.ts'

/** Every command with its output of `postern <command> --help`. */
export async function commandLinePage(groups: typeof Commands.GROUPS): Promise<{ html: string; headings: Heading[] }> {
  const headings: Heading[] = []
  const parts: string[] = [INTRODUCTION]
  for (const { title, commands } of groups) {
    parts.push(heading(headings, 2, title))
    for (const { name, summary, load } of commands) {
      const { help } = await load()
      parts.push(heading(headings, 3, `postern ${name}`), `<p>${escapeHtml(capital(summary))}.</p>`)
      parts.push(codeFigure({ language: '', text: help, label: `postern ${name} --help` }))
    }
  }
  return { html: parts.join('\n'), headings }
}

const INTRODUCTION = `<p>Run commands with <code>npx postern &lt;command&gt;</code> in the project’s folder, or with <code>node bin/postern.mjs &lt;command&gt;</code>.
On the machine where the gateway runs, with the same data folder, commands need no key or token. Use <code>--json</code> in scripts.
Settings are environment variables, or lines of <code>.env</code>. <a href="#postern-completion"><code>postern completion</code></a>
sets up completion in your shell.</p>`

function heading(headings: Heading[], level: number, words: string): string {
  const id = words.toLowerCase().replace(/[^a-z]+/g, '-')
  const html = level === 3 ? `<code>${escapeHtml(words)}</code>` : escapeHtml(words)
  headings.push({ level, id, html: escapeHtml(words.replace(/^postern /, '')) })
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>`
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
