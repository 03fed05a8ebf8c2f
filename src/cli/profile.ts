import { ConfigError } from '../boot/config-error.ts'
import { NUMBER_HELP, NUMBER_USAGE, type NumberOptions, openNumber } from './number-client.ts'
import { uploadFile } from './upload-file.ts'
import { printable, printResult, table } from './terminal.ts'

export const profileHelp = `postern profile [--name NAME] [--about TEXT]
                [--picture FILE | --no-picture]
                  ${NUMBER_USAGE}

Shows the profile of a number, or changes it.

  --name        the name that the number gives itself
  --about       the text below the name; "" removes it
  --picture     a JPEG, PNG or WebP file on this machine
  --no-picture  remove the picture
${NUMBER_HELP}`

interface Profile {
  jid: string
  name: string | null
  about: string | null
  picture_id: string | null
  business: { name: string | null } | null
}

type Changes = { name?: string; about?: string; picture?: string; 'no-picture'?: boolean }

export async function profile(options: NumberOptions<Changes>, env: NodeJS.ProcessEnv): Promise<void> {
  const { name, about, picture, 'no-picture': noPicture } = options
  if (picture !== undefined && noPicture === true) throw new ConfigError('give either --picture or --no-picture.')
  const number = await openNumber(options, env)
  const words = { ...(name !== undefined && { name }), ...(about !== undefined && { about }) }
  if (Object.keys(words).length > 0) await number.call('PATCH', '/profile', words)
  if (picture !== undefined) {
    const { media_id } = await uploadFile(number.gateway, { option: '--picture', path: picture })
    await number.call('PUT', '/profile/picture', { media_id })
  }
  if (noPicture === true) await number.call('DELETE', '/profile/picture')
  printResult(options.json, await number.call<Profile>('GET', '/profile'), shown =>
    [
      shown.jid,
      table([
        ['  name', printable(shown.name ?? 'none')],
        ['  about', printable(shown.about ?? 'none')],
        ['  picture', shown.picture_id ?? 'none'],
        ...(shown.business === null ? [] : [['  business', printable(shown.business.name ?? 'yes')]]),
      ]),
    ].join('\n'),
  )
}
