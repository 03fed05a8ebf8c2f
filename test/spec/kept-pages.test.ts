import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { cachedPage } from '../../src/http/cached-page.ts'
import { ask } from '../harness/client.ts'
import { startTestGateway } from '../harness/gateway.ts'

test('pages that are the same for everyone are rendered once and cached, and a browser that has one gets 304', async () => {
  let rendered = 0
  const app = fastify()
  const page = cachedPage('text/plain', () => `page ${++rendered}`)
  app.get('/', async (request, reply) => page(request, reply))
  const answers = [await app.inject('/'), await app.inject('/'), await app.inject('/')]
  expect([rendered, ...answers.map(answer => answer.body)]).toEqual([1, 'page 1', 'page 1', 'page 1'])
  const gateway = await startTestGateway('sqlite')
  for (const path of ['/docs', '/openapi.json', '/docs/style.css', '/terms']) {
    const first = await ask(gateway.url, 'GET', path)
    const etag = first.headers.etag!
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const again = await ask(gateway.url, 'GET', path)
    expect([again.text, again.headers.etag]).toEqual([first.text, etag])
    const known = await ask(gateway.url, 'GET', path, { headers: { 'if-none-match': etag } })
    expect([known.status, known.text]).toEqual([304, ''])
    const other = await ask(gateway.url, 'GET', path, { headers: { 'if-none-match': '"a",'.repeat(3_000) } })
    expect(other.status).toBe(200)
  }
  await gateway.stop()
})
