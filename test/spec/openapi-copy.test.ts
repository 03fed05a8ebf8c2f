import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeOpenApi } from '../../src/http/openapi.ts'

test('the committed openapi.json is what the schemas say; `npm run openapi` writes it again', () => {
  const committed = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  expect(committed).toEqual(JSON.parse(JSON.stringify(makeOpenApi('http://127.0.0.1:8080'))))
})
