import { type ChildProcess, spawn } from 'node:child_process'
import { pipeline, type Readable } from 'node:stream'
import { streamable } from './mp4-order.ts'
import type { SealedFile } from './sealed-file.ts'

/**
 * Containers that hold sound or film themselves. Formats such as playlists name other files, and the content comes from
 * people.
 */
const FORMATS = 'aac,aiff,amr,avi,caf,flac,flv,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpeg,mpegts,ogg,wav,w64'
/** KiB of address space, and seconds of processor time. */
const LIMITS = 'ulimit -v 1048576; ulimit -t 50; ulimit -c 0; exec "$0" "$@"'
const INPUT = ['-hide_banner', '-nostats', '-nostdin', '-threads', '1']
const ONLY_PIPES = ['-protocol_whitelist', 'pipe', '-format_whitelist', FORMATS, '-i', 'pipe:0']

/** Output that the file descriptors 1 and 3 of ffmpeg carry. */
interface Outputs {
  output: Readable
  second: Readable
  /** The length of the file as ffmpeg says it, in seconds, if its container does. */
  length(): number | undefined
  /** Resolves when ffmpeg has ended; whether it succeeded. */
  ended: Promise<boolean>
}

const running = new Set<ChildProcess>()

/** After a failure of ours, a program would otherwise wait for ever. */
export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Runs ffmpeg on a file that it reads from a pipe, and that it can neither leave nor name. Within limits, without environment. */
export async function runFfmpeg(ffmpeg: string, file: SealedFile, args: string[]): Promise<Outputs> {
  const content = await streamable(file)
  const child: ChildProcess = spawn('/bin/sh', ['-c', LIMITS, ffmpeg, ...INPUT, ...ONLY_PIPES, ...args], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk.toString('latin1')
  })
  const ended = new Promise<boolean>(resolve => {
    child.once('error', () => resolve(false))
    child.once('close', code => resolve(code === 0))
  })
  // ffmpeg closes its input once it has seen enough.
  pipeline(content, child.stdin!, () => {})
  running.add(child)
  child.once('close', () => running.delete(child))
  return { output: child.stdout!, second: child.stdio[3] as Readable, length: () => lengthIn(said), ended }
}

const MAX_SAID = 65_536

function lengthIn(said: string): number | undefined {
  const [, hours, minutes, seconds] = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(said) ?? []
  return hours === undefined ? undefined : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}
