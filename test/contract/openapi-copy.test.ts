import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeOpenApi } from '../../src/http/openapi/openapi.ts'
import { makePortalOpenApi } from '../../src/http/portal/portal-openapi.ts'

const committed = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const asRead = (document: unknown) => JSON.parse(JSON.stringify(document))

test('the committed openapi.json matches the schemas; `npm run openapi` writes it again', () => {
  expect(committed('openapi.json')).toEqual(asRead(makeOpenApi('http://127.0.0.1:8080')))
})

test('the committed portal/openapi.json matches the schemas of the portal; `npm run openapi` writes it again', () => {
  expect(committed('portal/openapi.json')).toEqual(asRead(makePortalOpenApi()))
})
