import { highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'

export interface Code {
  language: string
  text: string
  label?: string
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['bash', 'Shell'],
  ['sh', 'Shell'],
  ['js', 'JavaScript'],
  ['ts', 'TypeScript'],
  ['python', 'Python'],
  ['php', 'PHP'],
  ['go', 'Go'],
  ['json', 'JSON'],
  ['sql', 'SQL'],
])

/** A code block; long lines scroll, also by keyboard. */
export const pre = ({ language, text, label }: Code): string =>
  `<pre tabindex="0" role="group" aria-label="${escapeHtml(label === undefined || label === '' ? (NAMES.get(language) ?? 'Text') : label)}"><code>${highlight(text.trimEnd(), language)}</code></pre>`

/** A code block with a caption. */
export function codeFigure(code: Code): string {
  const label = code.label === undefined || code.label === '' ? NAMES.get(code.language) : code.label
  if (label === undefined) return `<figure class="code plain">${pre(code)}</figure>`
  return `<figure class="code"><figcaption>${escapeHtml(label)}</figcaption>${pre({ ...code, label })}</figure>`
}
