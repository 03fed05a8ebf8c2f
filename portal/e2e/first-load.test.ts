import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cells } from '../../test/harness/matrix.ts'
import { openPortal, type Portal } from './portal.ts'

const MOST_SCRIPT_BYTES = 200_000

let portal: Portal
beforeAll(async () => {
  portal = await openPortal()
})
afterAll(() => portal.stop())

test('the first page loads less than 200 KB of gzipped script, all from this host', async () => {
  const { page, problems } = await portal.window()
  const scripts = new Map<string, Promise<Buffer>>()
  page.on('response', response => {
    if (response.url().endsWith('.js')) scripts.set(response.url(), response.body())
  })
  await page.goto(`${portal.url}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const bodies = await Promise.all(scripts.values())
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(MOST_SCRIPT_BYTES)
  expect(problems).toEqual([])
})

test('the HTML preloads the scripts and the font that every page needs', async () => {
  const html = await (await fetch(`${portal.url}/`)).text()
  for (const name of ['app', 'shared']) expect(html).toMatch(new RegExp(`rel="modulepreload"[^>]*/assets/${name}-`))
  expect(html).toMatch(/rel="preload"[^>]*\/assets\/inter-latin-[^>]*\.woff2/)
})

test('the overview with its charts loads less than the script limit', async () => {
  const visit = await portal.visit()
  await visit.page.getByText('Latency of your endpoints').waitFor()
  const scripts = await visit.page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(entry => entry.name)
      .filter(name => name.endsWith('.js')),
  )
  let gzipped = 0
  for (const url of new Set(scripts)) gzipped += gzipSync(await (await visit.page.request.get(url)).body()).length
  expect(scripts.length).toBeGreaterThan(3)
  expect(gzipped).toBeLessThan(MOST_SCRIPT_BYTES)
})

test.each(
  cells([
    ['de-DE', 'Latenz Ihrer Endpunkte'],
    ['en-US', 'Latency of your endpoints'],
    ['es-MX', 'Latencia de sus endpoints'],
    ['pt-BR', 'Latência dos seus endpoints'],
  ]),
)(
  'the overview in %s loads less than 250 KB without a cache, precompressed and cacheable for a year',
  async (locale, last) => {
    const visit = await portal.visit({ locale })
    const devtools = await visit.page.context().newCDPSession(visit.page)
    await devtools.send('Network.enable')
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    let bytes = 0
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    const answers: { url: string; headers: Record<string, string> }[] = []
    visit.page.on('response', async answer => answers.push({ url: answer.url(), headers: answer.headers() }))
    await visit.goTo('/')
    await visit.page.getByText(last).waitFor()
    const assets = answers.filter(({ url }) => /\/assets\/.*\.(js|css)$/.test(url))
    expect(assets.length).toBeGreaterThan(3)
    const large = assets.filter(({ headers }) => Number(headers['content-length']) > 1_000)
    expect(new Set(large.map(({ headers }) => headers['content-encoding']))).toEqual(new Set(['br']))
    expect(new Set(assets.map(({ headers }) => headers['cache-control']))).toEqual(
      new Set(['public, max-age=31536000, immutable']),
    )
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(250_000)
    const plain = await fetch(large[0]!.url, { headers: { 'accept-encoding': 'gzip' } })
    expect(plain.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('vary')).toContain('accept-encoding')
    expect(await (await fetch(`${large[0]!.url}.br`)).text()).not.toContain('import')
  },
)

test('the content policy allows only scripts and styles of the portal, and no frame around it', async () => {
  const { page } = await portal.window()
  const answer = await page.goto(`${portal.url}/sign-in`)
  const policy = answer!.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain("frame-ancestors 'none'")
  const ran = await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.pwned = true'
    document.body.append(script)
    const style = document.createElement('style')
    style.textContent = 'body { outline: 7px solid }'
    document.head.append(style)
    return [Boolean((window as { pwned?: boolean }).pwned), getComputedStyle(document.body).outlineWidth === '7px']
  })
  expect(ran).toEqual([false, false])
})

test('a one-time link leaves no token in the address, the history or the storage', async () => {
  const visit = await portal.visit()
  expect(visit.page.url()).toBe(`${portal.url}/`)
  expect(await visit.page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toMatch(/[\w-]{40}/)
  await visit.page.goBack().catch(() => null)
  expect(visit.page.url()).not.toContain('#')
})
