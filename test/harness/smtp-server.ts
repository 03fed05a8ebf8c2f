import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and text. */
  text: string
}

/** A mail server that knows one user. It speaks SMTP as far as a client without TLS needs it. */
export interface SmtpServer {
  url: string
  mails: ReceivedMail[]
  /** Its answer to a mail; 250 accepts it, and `endless` answers with one line after another. */
  answer: string
  close(): Promise<void>
}

export async function startSmtpServer(user = 'postern', password = 'right'): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const state: SmtpServer = { url: '', mails: [], answer: '250 taken', close: async () => {} }
  const listener = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    // A client may leave in the middle.
    converse(socket, state, Buffer.from(`\0${user}\0${password}`).toString('base64')).catch(() => {})
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  state.url = `smtp://${user}:${password}@127.0.0.1:${port}`
  state.close = async () => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    await once(listener, 'close')
  }
  return state
}

/** Without the line breaks of long headers and of quoted-printable. */
const unfolded = (text: string): string => text.replaceAll(/=\n/g, '').replaceAll(/\n[ \t]+/g, ' ')

async function converse(socket: Socket, state: SmtpServer, credentials: string): Promise<void> {
  let unread = ''
  const say = (line: string) => socket.write(`${line}\r\n`)
  async function* parts(): AsyncGenerator<string> {
    for await (const chunk of socket) {
      unread += (chunk as Buffer).toString('utf8')
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const line = unread.slice(0, end)
        unread = unread.slice(end + 2)
        yield line
      }
    }
  }
  say('220 test')
  let mail: ReceivedMail = { from: '', to: [], text: '' }
  let content: string[] | undefined
  for await (const line of parts()) {
    if (content !== undefined) {
      if (line !== '.') {
        content.push(line.replace(/^\.\./, '.'))
        continue
      }
      state.mails.push({ ...mail, text: unfolded(content.join('\n')) })
      content = undefined
      mail = { from: '', to: [], text: '' }
      if (state.answer === 'endless') setInterval(() => (socket.destroyed ? undefined : say('250-more')), 20).unref()
      else say(state.answer)
    } else if (/^EHLO/i.test(line)) {
      say('250-test')
      say('250 AUTH PLAIN')
    } else if (/^AUTH PLAIN /i.test(line)) say(line.slice(11) === credentials ? '235 ok' : '535 wrong')
    else if (/^MAIL FROM:/i.test(line)) {
      mail.from = /<(.*)>/.exec(line)![1]!
      say('250 ok')
    } else if (/^RCPT TO:/i.test(line)) {
      mail.to.push(/<(.*)>/.exec(line)![1]!)
      say('250 ok')
    } else if (/^DATA/i.test(line)) {
      content = []
      say('354 go on')
    } else if (/^QUIT/i.test(line)) {
      say('221 bye')
      socket.end()
    } else say('502 unknown')
  }
}
