import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeStanza } from '../harness/wire-fuzz/encode-stanza.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { readRecording, type ReadRecording } from './read-recording.ts'

/** The real engine on the simulator, with a recording of everything. */
export interface FieldRig {
  readonly rig: Rig
  /** A number that is not in use yet. */
  digits(): string
  /** The path of a number's recording. */
  pathOf(digits: string): string
  recordingOf(digits: string): ReadRecording
  close(): Promise<void>
}

export async function openFieldRig(): Promise<FieldRig> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-field-'))
  const paths = new Map<string, string>()
  const onFile = (session: string, path: string) => void paths.set(session.replace(/[:@].*/, ''), path)
  const rig = await startRig({ historySync: false, encode: encodeStanza, platform: { record: { folder, onFile } } })
  let last = 999_490_000_000
  return {
    rig,
    digits: () => String((last += 1)),
    pathOf: digits => paths.get(digits)!,
    recordingOf: digits => readRecording(paths.get(digits)!),
    async close() {
      await rig.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
