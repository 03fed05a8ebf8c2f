import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../dist/store/sqlite/driver.js'

/** The writer of the floor's embedded tables: each message is a batch, durable when it is answered. */
const { path, tables } = workerData
const database = openDatabase(path, { readOnly: false })
database.exec('pragma journal_mode = wal; pragma synchronous = full')
const inserts = Object.entries(tables).map(([name, columns]) => {
  const typed = columns.map(each => each.join(' ')).join(', ')
  database.exec(`create table ${name} (${typed}, primary key (${columns[0][0]})) without rowid`)
  return { name, statement: database.prepare(`insert into ${name} values (${columns.map(() => '?').join(', ')})`) }
})
const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]

parentPort.on('message', items => {
  begin.run()
  for (const item of items) for (const { name, statement } of inserts) statement.run(...item[name])
  commit.run()
  parentPort.postMessage(items.length)
})
parentPort.postMessage('ready')
