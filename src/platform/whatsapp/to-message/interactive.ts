import type { BinaryNode, proto } from 'baileys'
import type { Button, Content } from '../../../domain/message.ts'

type Buttons = Extract<Content, { type: 'buttons' }>
type Carousel = Extract<Content, { type: 'carousel' }>
type List = Extract<Content, { type: 'list' }>

/** Buttons and lists in the only form that phones still show: a native flow. */
export function interactiveMessage(content: Buttons | List): proto.IMessage {
  return inEnvelope(content, {
    ...(content.type === 'list' &&
      content.title !== '' && { header: { title: content.title, hasMediaAttachment: false } }),
    nativeFlowMessage: {
      messageVersion: 1,
      buttons: content.type === 'buttons' ? content.buttons.map(flowButton) : [singleSelect(content)],
    },
  })
}

/** Cards, each with a native flow of its own. `pictures` are uploaded, one for each card, or there are none. */
export function carouselMessage(
  content: Carousel,
  pictures: ReadonlyArray<proto.Message.IImageMessage | undefined>,
): proto.IMessage {
  const cards = content.cards.map(({ title, text, buttons }, at): proto.Message.IInteractiveMessage => {
    const imageMessage = pictures[at]
    return {
      header: { ...(title !== '' && { title }), hasMediaAttachment: imageMessage !== undefined, imageMessage },
      body: { text },
      nativeFlowMessage: { messageVersion: 1, buttons: buttons.map(flowButton) },
    }
  })
  return inEnvelope(content, { carouselMessage: { messageVersion: 1, cards } })
}

const inEnvelope = (
  { text, footer }: Pick<Buttons, 'text' | 'footer'>,
  interactive: proto.Message.IInteractiveMessage,
): proto.IMessage => ({
  viewOnceMessage: {
    message: {
      messageContextInfo: { deviceListMetadata: {}, deviceListMetadataVersion: 2 },
      interactiveMessage: { body: { text }, ...(footer !== '' && { footer: { text: footer } }), ...interactive },
    },
  },
})

type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton

function flowButton(button: Button): FlowButton {
  const named = (name: string, parameters: object): FlowButton => ({
    name,
    buttonParamsJson: JSON.stringify({ display_text: button.text, ...parameters }),
  })
  switch (button.type) {
    case undefined:
    case 'reply':
      return named('quick_reply', { id: button.id })
    case 'url':
      return named('cta_url', { url: button.url, merchant_url: button.url })
    case 'call':
      return named('cta_call', { phone_number: `+${button.phone}` })
    case 'copy':
      return named('cta_copy', { copy_code: button.code })
    default: {
      const never: never = button
      return never
    }
  }
}

function singleSelect({ buttonText, sections }: List): FlowButton {
  return { name: 'single_select', buttonParamsJson: JSON.stringify({ title: buttonText, sections }) }
}

/** The unencrypted announcement for the server: it accepts buttons without one, but phones do not show them. */
export function announcementOf(now: Date): BinaryNode {
  const since = String(Math.floor(now.getTime() / 1000))
  const flow = { tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }
  return {
    tag: 'biz',
    attrs: { actual_actors: '2', host_storage: '2', privacy_mode_ts: since },
    content: [
      { tag: 'interactive', attrs: { type: 'native_flow', v: '1' }, content: [flow] },
      { tag: 'quality_control', attrs: { source_type: 'third_party' } },
    ],
  }
}
