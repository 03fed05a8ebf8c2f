import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Phone } from '@postern/simulator/phone/phone'
import { normalizeMessageContent, type proto } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { MediaType } from '../../src/domain/message.ts'
import { pictureSize } from '../../src/platform/whatsapp/to-message/picture-size.ts'
import { needProgram } from '../harness/programs.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=3,volume=enable=lt(t\\,1.5):volume=0.05']
const FILM = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=10:duration=2']
/** Each is made with these arguments of ffmpeg. */
const FILES: Record<string, string[]> = {
  'song.mp3': [...SOUND],
  'song.wav': [...SOUND],
  'song.flac': [...SOUND],
  'song.webm': [...SOUND, '-c:a', 'libopus'],
  // Phones write the index of a recording last.
  'recording.m4a': [...SOUND],
  'stereo.ogg': [...SOUND, '-ac', '2', '-c:a', 'libopus'],
  'mono.ogg': [...SOUND, '-ac', '1', '-c:a', 'libopus'],
  'film.mp4': [...FILM, '-pix_fmt', 'yuv420p'],
  'streamed.mp4': [...FILM, '-pix_fmt', 'yuv420p', '-movflags', '+faststart'],
  'film.webm': [...FILM, '-c:v', 'libvpx', '-deadline', 'realtime'],
}

let ffmpeg: string
let folder: string
let files: Server
let base: string
let rig: Rig
let number: Hosted
let ana: Phone
const visits: string[] = []

beforeAll(async () => {
  ffmpeg = needProgram('ffmpeg', 'ffmpeg')
  folder = mkdtempSync(join(tmpdir(), 'postern-convert-'))
  for (const [name, args] of Object.entries(FILES)) {
    const { status, stderr } = spawnSync(ffmpeg, ['-loglevel', 'error', ...args, join(folder, name)], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${name}: ${stderr}`)
  }
  files = createServer((request, response) => {
    visits.push(request.url!)
    if (request.url === '/list.mp3') return response.end(playlist())
    if (request.url === '/noise.mp3') return response.end(Buffer.concat([Buffer.from('ID3'), Buffer.alloc(90_000, 7)]))
    response.end(readFileSync(join(folder, request.url!)))
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  rig = await startRig({ platform: { ffmpeg } })
  number = await rig.link('5511900000099')
  ana = rig.simulator.phone('5511910000001')
})
afterAll(async () => {
  await rig.close()
  files.close()
  rmSync(folder, { recursive: true })
})

/** A list of what a player should open: a file of this machine and an address. */
const playlist = (): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${base}/secret\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`

const send = (mediaType: MediaType, name: string, platformId: string) => {
  const rest = { caption: '', mentions: [], filename: null, viewOnce: false }
  return number.send(ana.jid, { type: 'media', mediaType, url: `${base}/${name}`, ...rest }, { platformId })
}

async function arrives(mediaType: MediaType, name: string): Promise<{ content: proto.IMessage; file: Buffer }> {
  const platformId = makePlatformId()
  await send(mediaType, name, platformId)
  const held = await rig.simulator.until(() => ana.message(platformId))
  return { content: normalizeMessageContent(held.message)!, file: ana.openMedia(platformId) }
}

describe('Media with ffmpeg', () => {
  const sounds = ['song.mp3', 'song.wav', 'song.flac', 'song.webm', 'recording.m4a', 'stereo.ogg', 'mono.ogg']
  test.each(sounds)(
    'a voice message of %s arrives as Opus with one channel, with its length and 64 levels',
    async name => {
      const { content, file } = await arrives('voice', name)
      expect(content.audioMessage).toMatchObject({ mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 3 })
      expect(file.toString('latin1', 0, 4)).toBe('OggS')
      expect([file.toString('latin1', 28, 36), file[37]]).toEqual(['OpusHead', 1])
      expect(Number(content.audioMessage!.fileLength)).toBe(file.length)
      const levels = [...content.audioMessage!.waveform!]
      expect(levels.length).toBe(64)
      // The second half is the loud one.
      expect(Math.max(...levels.slice(0, 28))).toBeLessThan(20)
      expect(Math.min(...levels.slice(36, 62))).toBeGreaterThan(80)
      if (name === 'mono.ogg') expect(file.equals(readFileSync(join(folder, name)))).toBe(true)
    },
  )

  test.each(['film.mp4', 'streamed.mp4', 'film.webm'])(
    'a video (%s) arrives with its size, its length and a thumbnail',
    async name => {
      const { content, file } = await arrives('video', name)
      expect(content.videoMessage).toMatchObject({ width: 640, height: 360, seconds: 2 })
      expect(pictureSize(content.videoMessage!.jpegThumbnail!)).toEqual({ width: 32, height: 18 })
      expect(file.equals(readFileSync(join(folder, name)))).toBe(true)
    },
  )

  test.each(['list.mp3', 'noise.mp3'])(
    'a file that is no sound (%s) is MEDIA_FAILED, and nothing that it names is opened',
    async name => {
      visits.length = 0
      const failed = send('voice', name, makePlatformId())
      const failure = { kind: 'permanent', reason: 'MEDIA_FAILED' }
      await expect(failed).rejects.toMatchObject({ failure })
      expect(visits).toEqual([`/${name}`])
    },
  )
})
