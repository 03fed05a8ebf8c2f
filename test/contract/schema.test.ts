import { describe, expect, it } from 'vitest'
import { schemaOf } from '../harness/schema-of.ts'
import { newPlace, openStore, STORES } from '../harness/stores.ts'

const HEADER = `-- The tables as all migrations leave them, on both engines. Written by \`npm run schema\`, never by hand.
-- How PostgreSQL alone stores them (autovacuum, fill factors) stands in the migrations.

`

describe.each(STORES)('The schema on %s', kind => {
  it('matches src/store/schema.sql; `npm run schema` writes it again', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    await expect(`${HEADER}${await schemaOf(place)}`).toMatchFileSnapshot('../../src/store/schema.sql')
    place.remove()
  })
})
