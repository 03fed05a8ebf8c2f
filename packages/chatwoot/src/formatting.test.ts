import { expect, it } from 'vitest'
import { fromMarkdown, toMarkdown } from './formatting.ts'

it.each([
  ['Is *this* it?', 'Is **this** it?'],
  ['~old~ new', '~~old~~ new'],
  ['_as it is_', '_as it is_'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['a*b*c', 'a*b*c'],
  ['**', '**'],
  ['*two\nlines*', '*two\nlines*'],
])('WhatsApp’s %j is shown as %j', (text, shown) => {
  expect(toMarkdown(text)).toBe(shown)
})

it.each([
  ['**bold** and *italic*', '*bold* and _italic_'],
  ['~~gone~~', '~gone~'],
  ['line\\\nnext', 'line\nnext'],
  ['[the shop](https://example.com/a)', 'the shop (https://example.com/a)'],
  ['[https://example.com](https://example.com)', 'https://example.com'],
  ['2 \\* 3 and snake\\_case', '2 * 3 and snake_case'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['- one\n- two', '- one\n- two'],
])('Chatwoot’s %j is sent as %j', (text, sent) => {
  expect(fromMarkdown(text)).toBe(sent)
})
