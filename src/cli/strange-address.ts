import { ConfigError } from '../config-error.ts'
import { isOfDotEnv } from './dot-env.ts'

export type AddressSetting = 'POSTERN_PUBLIC_URL' | 'POSTERN_HOST' | 'POSTERN_DATA_DIR' | 'CHATWOOT_URL'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Refuses to send a secret of the environment to another machine that only the working folder names: whoever made the
 * folder would be given the secret. A secret that stands in the folder itself may go where the folder says; a file
 * that the folder names need not be the folder's.
 */
export function refuseStrangeAddress(
  env: NodeJS.ProcessEnv,
  secret: 'POSTERN_API_KEY' | 'POSTERN_OPERATOR_TOKEN' | 'CHATWOOT_TOKEN',
  { url, setting }: { url: string; setting: AddressSetting },
): void {
  const isChosenByFolder =
    isOfDotEnv(env, setting) || (setting === 'POSTERN_DATA_DIR' && env['POSTERN_DATA_DIR'] === undefined)
  if (!isChosenByFolder || isOfDotEnv(env, secret)) return
  if (!URL.canParse(url) || LOOPBACK.test(new URL(url).hostname)) return
  const option = setting === 'CHATWOOT_URL' ? '--chatwoot' : '--url'
  throw new ConfigError(
    `${setting} of this folder says ${new URL(url).origin}, and ${secret} is not in its .env: a secret goes only where its owner says. Give ${option}, or set both in one place.`,
  )
}
