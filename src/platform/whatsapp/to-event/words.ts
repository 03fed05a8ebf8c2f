import { normalizeMessageContent, type proto } from 'baileys'
import { newerWordsOf } from '../received/newer-content.ts'
import { readCard } from './contact-card.ts'

type Words = string | null | undefined

/** How each content that has no type in the API is written as text, line by line. Contents without words have none. */
const LINES: { readonly [Name in keyof proto.IMessage]?: (part: NonNullable<proto.IMessage[Name]>) => Words[] } = {
  bcallMessage: ({ caption }) => [caption],
  buttonsMessage: ({ contentText, text }) => [contentText || text],
  chat: ({ displayName }) => [displayName],
  contactMessage: contact => linesOfContact(contact),
  contactsArrayMessage: ({ contacts }) => (contacts ?? []).flatMap(linesOfContact),
  eventCoverImage: ({ message }) => [wordsInside(message)],
  eventMessage: ({ isCanceled, name, description, location, startTime, joinLink }) => [
    isCanceled ? 'Canceled' : undefined,
    name,
    description,
    location?.name,
    location?.address,
    timeOf(startTime),
    joinLink,
  ],
  groupInviteMessage: ({ groupName, caption }) => [groupName, caption],
  highlyStructuredMessage: message => [wordsOfTemplateText(message)],
  interactiveMessage: message => [wordsOfInteractive(message)],
  invoiceMessage: ({ note }) => [note],
  listMessage: ({ title, description }) => [description || title],
  newsletterAdminInviteMessage: ({ newsletterName, caption }) => [newsletterName, caption],
  newsletterFollowerInviteMessageV2: ({ newsletterName, caption }) => [newsletterName, caption],
  orderMessage: ({ orderTitle, message, totalAmount1000, totalCurrencyCode }) => [
    orderTitle,
    message,
    amountOf(totalAmount1000, 1000, totalCurrencyCode),
  ],
  pollCreationOptionImageMessage: ({ message }) => [wordsInside(message)],
  pollResultSnapshotMessage: result => linesOfResult(result),
  pollResultSnapshotMessageV3: result => linesOfResult(result),
  productMessage: ({ product, catalog, body }) => [
    product?.title || catalog?.title,
    product?.description || catalog?.description,
    amountOf(product?.priceAmount1000, 1000, product?.currencyCode),
    body,
  ],
  questionResponseMessage: ({ text }) => [text],
  requestPaymentMessage: ({ amount, amount1000, currencyCodeIso4217, noteMessage }) => [
    amount
      ? amountOf(amount.value, amount.offset, amount.currencyCode)
      : amountOf(amount1000, 1000, currencyCodeIso4217),
    wordsInside(noteMessage),
  ],
  richResponseMessage: response => linesOfRichResponse(response),
  scheduledCallCreationMessage: ({ title, scheduledTimestampMs }) => [
    title,
    timeOf(Number(scheduledTimestampMs) / 1000),
  ],
  sendPaymentMessage: ({ noteMessage }) => [wordsInside(noteMessage)],
  statusQuestionAnswerMessage: ({ text }) => [text],
  statusQuotedMessage: ({ text }) => [text],
  stickerPackMessage: ({ name, caption }) => [name, caption],
  templateMessage: message => [wordsOfTemplate(message)],
}

/** The text of content that has no type in the API. */
export function wordsOf(content: proto.IMessage): string {
  for (const [name, lines] of Object.entries(LINES) as [keyof proto.IMessage, (part: unknown) => Words[]][]) {
    const part = content[name]
    if (part !== null && part !== undefined) return joined(lines(part))
  }
  return newerWordsOf(content) ?? ''
}

const joined = (lines: readonly Words[]): string => lines.filter(Boolean).join('\n')

/** The text or caption of a message inside of another. */
function wordsInside(message: proto.IMessage | null | undefined): string {
  const content = normalizeMessageContent(message)
  if (!content) return ''
  const { imageMessage: image, videoMessage: video, documentMessage: file } = content
  const text = content.conversation ?? content.extendedTextMessage?.text
  return text ?? image?.caption ?? video?.caption ?? file?.caption ?? ''
}

/** The name, and each phone number of the card. */
function linesOfContact(contact: proto.Message.IContactMessage): Words[] {
  const { name, phones } = readCard(contact)
  return [name, ...phones]
}

const linesOfResult = ({ name, pollVotes }: proto.Message.IPollResultSnapshotMessage): Words[] => [
  name,
  ...(pollVotes ?? []).map(({ optionName, optionVoteCount }) => `${optionName ?? ''}: ${Number(optionVoteCount ?? 0)}`),
]

function wordsOfTemplate(message: proto.Message.ITemplateMessage): Words {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate, fourRowTemplate } = message
  return (
    (hydratedTemplate ?? hydratedFourRowTemplate)?.hydratedContentText ||
    (interactiveMessageTemplate && wordsOfInteractive(interactiveMessageTemplate)) ||
    (fourRowTemplate?.content && wordsOfTemplateText(fourRowTemplate.content))
  )
}

/** A text of a business that is named instead of written; only its parameters are certain. */
function wordsOfTemplateText({ hydratedHsm, params }: proto.Message.IHighlyStructuredMessage): Words {
  return (hydratedHsm && wordsOfTemplate(hydratedHsm)) || joined(params ?? [])
}

function wordsOfInteractive({ header, body, carouselMessage }: proto.Message.IInteractiveMessage): Words {
  const cards = carouselMessage?.cards ?? []
  return body?.text || header?.title || joined(cards.map(card => card.body?.text || card.header?.title))
}

/** The answer of a bot: texts, code and tables in their order. */
function linesOfRichResponse({ submessages }: proto.IAIRichResponseMessage): Words[] {
  return (submessages ?? []).flatMap(({ messageText, codeMetadata, tableMetadata, latexMetadata }) => [
    messageText,
    (codeMetadata?.codeBlocks ?? []).map(({ codeContent }) => codeContent ?? '').join(''),
    tableMetadata?.title,
    ...(tableMetadata?.rows ?? []).map(({ items }) => (items ?? []).join(' | ')),
    latexMetadata?.text,
  ])
}

/** Such as `BRL 12.50`; nothing if the sender names no currency or no sensible amount. */
function amountOf(value: unknown, offset: number | null | undefined, currency: Words): Words {
  const amount = Number(value) / (offset || 1)
  return currency && value && Number.isFinite(amount) ? `${currency} ${amount.toFixed(2)}` : undefined
}

/** In seconds; the sender may write anything. */
function timeOf(seconds: unknown): Words {
  const time = new Date(Number(seconds) * 1000)
  return Number(seconds) > 0 && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined
}
