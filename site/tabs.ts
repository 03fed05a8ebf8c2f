import { pre } from './code.ts'
import { escapeHtml } from './html.ts'
import { LANGUAGES } from './samples/languages.ts'
import type { Sample } from './samples/sample.ts'

export interface Tab {
  id: string
  name: string
  grammar: string
  text: string
}

/** Numbers the tab groups of a page, since radio buttons are grouped by name. */
export class TabGroups {
  #groups = 0

  /** Renders one request in every language. */
  request(sample: Sample, label: string): string {
    return this.of(
      LANGUAGES.map(({ id, name, grammar, write }) => ({ id, name, grammar, text: write(sample) })),
      label,
    )
  }

  /** Renders tabs with radio buttons, so that they work without scripts. */
  of(tabs: Tab[], label: string): string {
    const group = `tabs-${++this.#groups}`
    const choices = tabs.map(({ id, name }, index) => {
      const checked = index === 0 ? ' checked' : ''
      return `<label><input type="radio" name="${group}" value="${id}"${checked}><span>${escapeHtml(name)}</span></label>`
    })
    const panels = tabs.map(
      ({ id, name, grammar, text }) =>
        `<div class="panel" data-language="${id}">${pre({ language: grammar, text, label: `${label}, ${name}` })}</div>`,
    )
    return `<figure class="code tabs"><div class="choices" role="radiogroup" aria-label="Language: ${escapeHtml(label)}">${choices.join('')}</div>${panels.join('')}</figure>`
  }
}
