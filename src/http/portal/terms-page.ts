import { plainPage } from './plain-pages.ts'

const SECTIONS: ReadonlyArray<[string, string]> = [
  [
    'Who this is between',
    '“You” are the person or company that owns the account. The operator is the person or company that runs this gateway. Postern is the software. Its authors are not a party to these Terms.',
  ],
  [
    'What the gateway does',
    'It links phone numbers that you control to your programs. It sends the messages that your programs submit, and posts the messages and events of the numbers to the addresses that you choose.',
  ],
  [
    'What you are responsible for',
    'You link only numbers that you may use. You follow the rules of the messaging platform, and the law that applies to the people you write to. You write only to people who expect it, and stop when they ask you to. You keep API keys, webhook secrets and passwords secret, and replace them if they leak.',
  ],
  [
    'What is not allowed',
    'Unsolicited bulk messages, fraud, harassment, malware, and attempts to reach the data of other accounts.',
  ],
  [
    'The platform decides about numbers',
    'The gateway is a linked device of your phone. The platform may limit or ban a number at any time, and neither the operator nor the authors can undo that.',
  ],
  [
    'Your data',
    'The gateway encrypts message content at rest, and keeps it only as long as it needs it to send, deliver or retry: sent messages for up to 7 days, received messages until they are delivered or the retention of your plan ends. The delivery history contains sizes instead of content. The operator does not sell your data, and no person reads it.',
  ],
  [
    'Limits and ending',
    'Each plan has limits, which the portal shows. Beyond a limit, the gateway refuses requests; it never bills you silently. You can unlink numbers and stop at any time. The operator may suspend an account that breaks these Terms.',
  ],
  [
    'Without warranty',
    'The service is provided as it is. It is designed not to lose messages that it has accepted, but do not rely on it in emergencies. Liability is limited as far as the law allows.',
  ],
]

/** The Terms that every account accepts before it uses the gateway. */
export function termsPage(version: string): string {
  const sections = SECTIONS.map(([title, words], i) => `<h2>${i + 1}. ${title}</h2>\n<p>${words}</p>`).join('\n')
  return plainPage(
    'Terms of Service',
    `<h1>Terms of Service</h1>
<p>Version ${escapeHtml(version)}</p>
${sections}
<p>If the operator changes these Terms, they get a new version label. You do not have to accept them again.</p>`,
  )
}

const escapeHtml = (words: string): string => words.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
