import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A value that must appear nowhere: its name and its bytes. */
export interface Canary {
  name: string
  bytes: Buffer
}

export const canary = (name: string, value: string | Uint8Array): Canary => ({
  name,
  bytes: Buffer.from(value as string),
})

/** The encodings in which the bytes may occur: raw, UTF-16, escaped as JSON, hex, and base64 at any offset. */
export function shapesOf(bytes: Buffer): Map<string, Buffer> {
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text).equals(bytes)
  const hex = bytes.toString('hex')
  const shapes = new Map<string, Buffer>([
    ['as it is', bytes],
    ['hex', Buffer.from(hex)],
    ['upper-case hex', Buffer.from(hex.toUpperCase())],
  ])
  for (const offset of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const stable = whole.slice(offset === 0 ? 0 : 4, Math.floor(((bytes.length + offset) * 8) / 24) * 4)
    shapes.set(`base64 at ${offset}`, Buffer.from(stable))
    shapes.set(`base64url at ${offset}`, Buffer.from(stable.replaceAll('+', '-').replaceAll('/', '_')))
  }
  if (isText) {
    shapes.set('UTF-16', Buffer.from(text, 'utf16le'))
    const escaped = text.replace(/[^\x20-\x7e]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    shapes.set('JSON', Buffer.from(escaped))
  }
  return shapes
}

/** Searches for many values at once; each value is encoded once. */
export function createScanner(canaries: readonly Canary[]) {
  const patterns = new Map<string, { name: string; shape: Buffer }>()
  for (const { name, bytes } of canaries) {
    for (const [how, shape] of shapesOf(bytes))
      patterns.set(shape.toString('latin1'), { name: `${name} ${how}`, shape })
  }
  const inBytes = (where: string, bytes: Buffer): string[] =>
    [...patterns.values()].filter(({ shape }) => bytes.includes(shape)).map(({ name }) => `${name} in ${where}`)
  return {
    inBytes,
    inFiles: (paths: readonly string[]): string[] =>
      paths.flatMap(path => {
        const bytes = readOrNothing(path)
        return bytes === undefined ? [] : inBytes(path, bytes)
      }),
  }
}

/** A file may be deleted while it is read. */
function readOrNothing(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** A folder may be deleted while it is read. */
function pathsBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true }).map(name => join(folder, String(name)))
  } catch {
    return []
  }
}

/** Every file below a folder that was written since this time. */
export function filesBelow(folder: string, sinceMs = 0): string[] {
  return pathsBelow(folder).filter(path => {
    try {
      const found = statSync(path)
      return found.isFile() && found.mtimeMs >= sinceMs
    } catch {
      return false
    }
  })
}

/** Searches every file that appears below a folder, until it is stopped. */
export function watchFolder(folder: string, look: (path: string, bytes: Buffer) => void): { stop(): Promise<void> } {
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      for (const path of filesBelow(folder)) {
        const bytes = readOrNothing(path)
        if (bytes !== undefined && bytes.length > 0) look(path, bytes)
      }
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await watching
    },
  }
}
