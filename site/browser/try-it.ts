import { all, element } from './elements.ts'
import { type Caller, currentCaller, firstNumber, keepKey } from './caller.ts'

interface Described {
  method: string
  path: string
  operator: boolean
  parameters: { name: string; place: 'path' | 'query' | 'header'; required: boolean; example?: string }[]
  body?: unknown
}

/** The number of the examples. */
const EXAMPLE = /999100200300:1@s\.whatsapp\.net/g

/** Adds a form to each operation of the reference that sends it, as the signed-in account or with a key. */
export function offerTries(): void {
  for (const place of all('.try')) {
    place.hidden = false
    const open = element('button', { type: 'button', class: 'button quiet' }, 'Try it')
    open.addEventListener('click', () => {
      const described = JSON.parse(place.dataset['operation']!) as Described
      const form = new TryForm(described)
      place.replaceChildren(form.element)
      void form.begin()
    })
    place.append(open)
  }
}

let forms = 0

class TryForm {
  readonly element: HTMLFormElement
  readonly #described: Described
  readonly #fields = new Map<string, HTMLInputElement>()
  readonly #caller = element('div', { class: 'caller' })
  readonly #answer = element('div', { class: 'answer', 'aria-live': 'polite' })
  readonly #send: HTMLButtonElement
  readonly #body: HTMLTextAreaElement | undefined
  readonly #id = `try-${++forms}`

  constructor(described: Described) {
    this.#described = described
    this.#send = element('button', { type: 'submit', class: 'button' }, `${described.method} it`)
    this.element = element('form', { class: 'try-form', 'aria-label': `Try ${described.method} ${described.path}` })
    this.element.append(this.#caller)
    for (const parameter of described.parameters) this.element.append(this.#field(parameter))
    if (described.body !== undefined) {
      const text = JSON.stringify(described.body, null, 2)
      this.#body = element('textarea', { rows: String(Math.min(14, text.split('\n').length)), spellcheck: 'false' })
      this.#body.value = text
      this.element.append(this.#labelled('Body', this.#body))
    }
    this.element.append(element('div', { class: 'row' }, this.#send), this.#answer)
    this.element.addEventListener('submit', event => {
      event.preventDefault()
      void this.#ask()
    })
  }

  /** Finds the caller, and fills in one of its numbers. */
  async begin(): Promise<void> {
    const caller = await currentCaller()
    this.#showCaller(caller)
    this.element.querySelector<HTMLElement>('input, textarea, button')?.focus()
    if (caller !== null) await this.#fillIn(caller)
  }

  async #fillIn(caller: Caller): Promise<void> {
    const number = await firstNumber(caller)
    if (number === null) return
    if (this.#body !== undefined) this.#body.value = this.#body.value.replace(EXAMPLE, number)
    const id = this.#fields.get('id')
    if (id?.value === '' && /\/sessions\/\{id\}/.test(this.#described.path)) id.value = number
  }

  #field({ name, place, required, example }: Described['parameters'][number]): HTMLElement {
    const input = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', 'data-place': place })
    input.required = required
    if (example !== undefined) input.value = example
    this.#fields.set(name, input)
    return this.#labelled(name, input)
  }

  #labelled(name: string, input: HTMLInputElement | HTMLTextAreaElement): HTMLElement {
    input.id = `${this.#id}-${name}`
    return element('div', { class: 'labelled' }, element('label', { for: input.id }, name), input)
  }

  #showCaller(caller: Caller | null): void {
    const acts = this.#described.method === 'GET' ? '' : ' The request has real effects.'
    if (caller !== null) {
      const other = element('button', { type: 'button', class: 'link' }, 'Use another key')
      other.addEventListener('click', () => this.#askForKey())
      this.#caller.replaceChildren(element('p', {}, `Sends as ${caller.name}.${acts} `, other))
      return
    }
    this.#askForKey()
  }

  #askForKey(): void {
    const input = element('input', { type: 'password', autocomplete: 'off', placeholder: 'ptn_…' })
    input.addEventListener('change', () => {
      keepKey(input.value)
      void currentCaller().then(async caller => {
        if (caller !== null) await this.#fillIn(caller)
      })
    })
    const label = this.#described.operator ? 'Operator’s token' : 'API key'
    const hint = element(
      'p',
      { class: 'hint' },
      'It stays in the memory of this page. Or ',
      element('a', { href: '/sign-in' }, 'sign in to the portal'),
      ', and you do not need a key.',
    )
    this.#caller.replaceChildren(this.#labelled(label, input), hint)
  }

  async #ask(): Promise<void> {
    const caller = await currentCaller()
    if (caller === null) return this.#show('Paste an API key first, or sign in to the portal.', '')
    this.#send.disabled = true
    const began = performance.now()
    try {
      const answer = await caller.send(this.#described.method, this.#url(), this.#body?.value, this.#headers())
      const text = await answer.text()
      this.#show(`${answer.status} ${answer.statusText} in ${Math.round(performance.now() - began)} ms`, pretty(text))
    } catch {
      this.#show('The gateway does not respond. Is it still running?', '')
    }
    this.#send.disabled = false
  }

  #given(place: string): [string, string][] {
    return [...this.#fields]
      .filter(([, input]) => input.dataset['place'] === place && input.value !== '')
      .map(([name, input]) => [name, input.value])
  }

  #url(): string {
    const path = this.#given('path').reduce(
      (whole, [name, value]) => whole.replace(`{${name}}`, encodeURIComponent(value)),
      this.#described.path,
    )
    const query = new URLSearchParams(this.#given('query')).toString()
    return query === '' ? path : `${path}?${query}`
  }

  #headers(): Record<string, string> {
    return Object.fromEntries(this.#given('header'))
  }

  #show(words: string, text: string): void {
    const shown = text === '' ? [] : [element('pre', { tabindex: '0' }, text)]
    this.#answer.replaceChildren(element('p', {}, words), ...shown)
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
