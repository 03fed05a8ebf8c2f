import { ConfigError } from './config-error.ts'

interface ListeningPlace {
  host: string
  port: number
  /** The settings that name it. */
  hostName: string
  portName: string
}

/** Returns the port; if listening fails, throws an error that names the settings and the cure. */
export async function listeningAt(place: ListeningPlace, listening: Promise<number>): Promise<number> {
  try {
    return await listening
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const address = `${place.host}:${place.port}`
    if (code === 'EADDRINUSE') {
      throw new ConfigError(
        `${place.portName}: ${address} is in use. Stop the other program, or choose another port (0 picks a free one).`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(
        `${place.hostName} and ${place.portName}: cannot listen on ${address} (${code}). Choose an address of this machine and a port that you may use.`,
      )
    }
    throw error
  }
}
