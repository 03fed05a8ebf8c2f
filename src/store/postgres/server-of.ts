import pg from 'pg'

/** The host and port of a connection string, with the driver's defaults. */
export function serverOf(url: string): { host: string; port: number } {
  const { host, port } = new pg.Client({ connectionString: url })
  return { host, port }
}
