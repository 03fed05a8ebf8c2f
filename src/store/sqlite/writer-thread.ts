import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock.ts'
import { CheckpointSignal } from './checkpoint-signal.ts'
import { Connection, openDatabase } from './driver.ts'
import type { Started, ToWriter } from './protocol.ts'
import { Writer } from './writer.ts'

const { path, upTo, written } = workerData as { path: string; upTo?: number; written: SharedArrayBuffer }
const connection = new Connection(openDatabase(path, { readOnly: false }))
connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 0')
const writer = new Writer(connection, systemClock, new CheckpointSignal(written))
const parent = parentPort!

function listen(port: MessagePort): void {
  port.on('close', () => writer.detach(port))
  port.on('message', (message: ToWriter) => {
    if ('attach' in message) listen(message.attach)
    else if ('close' in message) void close()
    else if ('listen' in message) writer.listen(port, message.listen)
    else writer.enqueue(port, message.requests)
  })
}

async function close(): Promise<void> {
  await writer.drain()
  writer.close()
  process.exit(0)
}

async function start(): Promise<Started> {
  try {
    return { ready: await writer.migrate(upTo) }
  } catch (error) {
    const { name, message } = error as Error
    return { failed: { name, message } }
  }
}

const started = await start()
parent.postMessage(started)
if ('ready' in started) listen(parent)
