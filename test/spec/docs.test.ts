import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Found, ranked } from '../../site/browser/ranking.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { ask, expectError, sendBytes } from '../harness/client.ts'
import { startTestGateway, type TestGateway } from '../harness/gateway.ts'

let gateway: TestGateway
/** Every page that a reader can reach from the front page. */
const pages = new Map<string, string>()

beforeAll(async () => {
  gateway = await startTestGateway('sqlite')
  const ahead = ['/docs']
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (pages.has(path)) continue
    const answer = await ask(gateway.url, 'GET', path)
    pages.set(path, answer.status === 200 ? answer.text : '')
    for (const link of linksOf(answer.text)) if (isPage(link)) ahead.push(link.split('#')[0]!)
  }
})
afterAll(() => gateway.stop())

const linksOf = (html: string): string[] => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(match => match[1]!)
const isPage = (link: string): boolean => /^\/docs(\/|#|$)/.test(link)
const wordsOf = (html: string): string => html.replace(/<(pre|code|script)\b[^]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ')

describe('The documentation', () => {
  test('has guides, a page for each part of the reference, and every page of docs', () => {
    const { tags } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { tags: { name: string }[] }
    const reference = tags.map(({ name }) => `reference/${name.toLowerCase().replace(/ /g, '-')}`)
    const guides = ['quick-start', 'sending', 'receiving', 'verifying', 'retries', 'errors', 'limits', 'command-line']
    const texts = readdirSync('docs').flatMap(name => (name.endsWith('.md') ? [name.slice(0, -'.md'.length)] : []))
    const wanted = [...reference, ...guides, ...texts].map(name => `/docs/${name}`)
    expect([...pages.keys()]).toEqual(expect.arrayContaining(wanted))
  })

  test('has no link to a missing page or to a missing anchor', () => {
    const broken = [...pages].flatMap(([page, html]) =>
      linksOf(html)
        .filter(link => {
          if (!isPage(link) && !link.startsWith('#')) return false
          const [path, anchor] = link.split('#') as [string, string?]
          const target = pages.get(path === '' ? page : path) ?? ''
          return target === '' || (anchor !== undefined && !target.includes(`id="${anchor}"`))
        })
        .map(link => `${page} → ${link}`),
    )
    expect(pages.size).toBeGreaterThan(40)
    expect(broken).toEqual([])
  })

  test.each([
    ['retry', '/docs/retries'],
    ['retries', '/docs/retries'],
    ['retrying', '/docs/retries'],
    ['error', '/docs/errors'],
    ['send', '/docs/sending'],
    ['limit', '/docs/limits'],
    ['verify', '/docs/verifying'],
    ['webhook', '/docs/reference/webhooks'],
    ['sandbox', '/docs/sandbox'],
  ])('answers a search for "%s" with %s first', async (query, path) => {
    const index = /data-search="([^"]+)"/.exec(pages.get('/docs')!)![1]!
    const found = ranked((await ask(gateway.url, 'GET', index)).json as unknown as Found[], query)
    expect(found[0]?.[2]).toBe(path)
  })

  test('uses no anchor twice on a page', () => {
    for (const [path, html] of pages) {
      const ids = [...html.matchAll(/\bid="([^"]+)"/g)].map(match => match[1]!)
      expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []])
    }
  })

  test('shows no Markdown source in its pages', () => {
    const left = [...pages].flatMap(([path, html]) =>
      (wordsOf(html).match(/\]\([^)]*\)|\*\*|```|^#{1,6} |\|---|<!--/gm) ?? []).map(piece => `${path}: ${piece}`),
    )
    expect(left).toEqual([])
  })

  test('requests nothing from another host, and has no inline script or style', () => {
    for (const [path, html] of pages) {
      const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g)].map(match => match[1]!)
      expect([path, loaded.filter(address => !address.startsWith('/'))]).toEqual([path, []])
      expect(html).not.toMatch(/<style|\sstyle="|\son\w+="|<script>/)
    }
  })

  test('explains every command in its own words', async () => {
    const page = pages.get('/docs/command-line')!
    for (const { name } of COMMANDS) expect(page).toContain(`postern ${name} --help`)
  })
})

describe('The files of the documentation', () => {
  const asset = () => /<link rel="stylesheet" href="([^"]+)"/.exec(pages.get('/docs')!)![1]!

  test.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
  ])('are served precompressed to a client that accepts %s', async (accepted, encoding) => {
    for (const path of ['/docs', asset()]) {
      const answer = await fetch(gateway.url + path, { headers: { 'accept-encoding': accepted } })
      expect([answer.headers.get('content-encoding') ?? undefined, answer.headers.get('vary')]).toEqual([
        encoding,
        'accept-encoding',
      ])
      expect(await answer.text()).toMatch(/<html|:root/)
    }
  })

  test('are cached for a year if their name changes with their content, and are not cached otherwise', async () => {
    expect((await ask(gateway.url, 'GET', asset())).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    )
    expect((await ask(gateway.url, 'GET', '/docs')).headers['cache-control']).toBe('no-store')
  })

  test('include an error page for people, with a way back, and an error for programs', async () => {
    const page = await ask(gateway.url, 'GET', '/docs/nothing', { headers: { accept: 'text/html' } })
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is no such page')])
    expectError(await ask(gateway.url, 'GET', '/docs/nothing'), 404, 'path not found')
    for (const path of [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/.stamp',
      '/docs/assets/../../http/docs.js',
    ]) {
      // Sent unchanged: other clients would normalise the dots.
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      expect(await sendBytes(gateway.url, request)).toMatch(/^HTTP\/1\.1 404 /)
    }
  })
})
