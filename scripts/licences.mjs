import { join } from 'node:path'
import { licenceProblem } from './allowed-licences.mjs'
import { licenceOf, nameAt, readJson, readPackages } from './packages.mjs'

/**
 * Lists every installed package with its declared licence, those of the product first. Exits with 1 if a licence
 * is unknown or not allowed. `--json` prints the list as JSON.
 */
const root = process.cwd()
const { parts, installed } = readPackages(root)
const product = new Set(parts.flatMap(({ places }) => places))
const rows = installed.map(place => {
  const manifest = readJson(join(root, place, 'package.json'))
  const row = {
    name: nameAt(place),
    version: manifest.version ?? '',
    licence: licenceOf(manifest),
    use: product.has(place) ? 'product' : 'development',
  }
  return { ...row, refusal: licenceProblem(row) }
})
const order = row => `${row.use === 'product' ? 0 : 1} ${row.name} ${row.version}`
const sorted = [...new Map(rows.map(row => [order(row), row])).values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
const refused = sorted.filter(({ refusal }) => refusal !== undefined)

if (process.argv.includes('--json')) console.log(JSON.stringify(sorted, null, 2))
else printTable()
for (const { name, version, refusal } of refused) console.error(`${name}@${version} ${refusal}`)
process.exitCode = refused.length > 0 ? 1 : 0

function printTable() {
  const columns = ['use', 'name', 'version', 'licence']
  const width = column => Math.max(column.length, ...sorted.map(row => row[column].length))
  const print = row =>
    console.log(
      columns
        .map(column => (row[column] || '-').padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
  print(Object.fromEntries(columns.map(column => [column, column])))
  for (const row of sorted) print(row)
  const count = use => sorted.filter(row => row.use === use).length
  console.log(`\n${count('product')} packages in the product, ${count('development')} in development`)
}
