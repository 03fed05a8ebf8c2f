import { describe, expect, test } from 'vitest'
import { codeBlocks, inline, renderMarkdown } from '../site/markdown.ts'

const render = (markdown: string) =>
  renderMarkdown(`# Title\n\n${markdown}`, {
    resolve: href => (href.startsWith('missing') ? null : href),
    directive: (name, argument) => `<p>${name} of ${argument}</p>`,
  })

describe('a page of the documentation', () => {
  test('must begin with its title', () => {
    expect(render('Text').title).toBe('Title')
    expect(() => renderMarkdown('Text', { resolve: href => href })).toThrow('a page begins with its title')
  })

  test('gives each heading an anchor of its own', () => {
    const { headings, html } = render('## Same `name`\n\n## Same `name`')
    expect(headings.map(({ id }) => id)).toEqual(['same-name', 'same-name-1'])
    expect(html).toContain('<h2 id="same-name-1"><a class="anchor" href="#same-name-1">Same <code>name</code></a></h2>')
  })

  test('replaces a directive, and shows all other HTML as text', () => {
    expect(render('Before\n<!-- payload: message -->\nAfter').html).toMatch(
      /^<p>Before<\/p>\n<p>payload of message<\/p>\n+<p>After<\/p>$/,
    )
    expect(render('<b onclick="x">a</b>').html).not.toContain('<b')
    expect(inline('a <b>', () => null)).toBe('a &lt;b&gt;')
  })

  test('links only to targets that are on the site, and makes no links of its own', () => {
    expect(inline('[text](missing.md)', () => null)).toBe('text')
    expect(inline('at http://127.0.0.1:8080', href => href)).toBe('at http://127.0.0.1:8080')
    expect(inline('<https://a.test>', href => href)).toBe(
      '<a href="https://a.test" rel="noreferrer">https://a.test</a>',
    )
  })

  test('is rejected if a code block has no end', () => {
    expect(codeBlocks('```js\n1\n```\n\n````request POST /x\n```\n````')).toEqual([
      { language: 'js', info: '', text: '1' },
      { language: 'request', info: 'POST /x', text: '```' },
    ])
    expect(() => render('```js\nconst a = 1\n\nText')).toThrow('a code block has no end')
    expect(render('- Item\n  ```bash\n  ls \\\n    -l\n  ```').html).toContain('ls \\\n  -l')
  })
})
