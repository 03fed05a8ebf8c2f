import pg from 'pg'

/** The server that a connection string means, with whatever it leaves to defaults. */
export function serverOf(url: string): { host: string; port: number } {
  const { host, port } = new pg.Client({ connectionString: url })
  return { host, port }
}
