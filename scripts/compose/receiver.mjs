import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReceiver } from '../image/receiver.mjs'

/** This machine in the network of the containers, as the second files have it. */
export const HERE = '10.213.71.1'

/** Takes webhooks by TLS, with a certificate of its own at `receiver.pem`; listens once that network is there. */
export async function startHttpsReceiver(folder) {
  const file = name => join(folder, name)
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=receiver', '-addext', `subjectAltName=IP:${HERE}`]
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', file('receiver.key'), '-out', file('receiver.pem')], {
    stdio: 'ignore',
  })
  let receiver
  return {
    async listen() {
      const tls = { key: readFileSync(file('receiver.key')), cert: readFileSync(file('receiver.pem')) }
      receiver = await startReceiver({ host: HERE, tls })
      return receiver
    },
    close: () => receiver?.close(),
  }
}
