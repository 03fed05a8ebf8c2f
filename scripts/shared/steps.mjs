import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Runs steps one after the other, prints the result and duration of each, and keeps them for the transcript. */
export class Steps {
  #began = performance.now()
  #rows = []

  /** `work` returns its result in one line, or `{ seen, value }` if a later step needs the value. */
  async step(name, work) {
    const began = performance.now()
    const result = await work()
    const { seen, value } = typeof result === 'string' ? { seen: result } : result
    this.#rows.push({ name, took: seconds(performance.now() - began), seen })
    console.log(`${this.#rows.length}. ${name}: ${seen} (${this.#rows.at(-1).took})`)
    return value
  }

  /** Writes the page: `before` precedes the table. */
  write(path, title, before) {
    const total = seconds(performance.now() - this.#began)
    const rows = this.#rows.map(({ name, took, seen }, i) => `| ${i + 1} | ${name} | ${took} | ${cell(seen)} |`)
    const table = ['| | Step | Time | Result |', '|---|---|---|---|', ...rows]
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${[`# ${title}`, '', ...before, '', ...table, '', `Total: ${total}.`].join('\n')}\n`)
  }
}

const seconds = ms => `${(ms / 1000).toFixed(1)} s`

const cell = text => text.replaceAll('|', '\\|')
