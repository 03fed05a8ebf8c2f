import type { BinaryNode, proto } from 'baileys'
import type { Content } from '../../../domain/message.ts'

type Buttons = Extract<Content, { type: 'buttons' }>
type List = Extract<Content, { type: 'list' }>

/** Buttons and lists in the only shape that phones still show: a native flow. */
export function interactiveMessage(content: Buttons | List): proto.IMessage {
  const interactive: proto.Message.IInteractiveMessage = {
    body: { text: content.text },
    ...(content.footer !== '' && { footer: { text: content.footer } }),
    ...(content.type === 'list' &&
      content.title !== '' && { header: { title: content.title, hasMediaAttachment: false } }),
    nativeFlowMessage: {
      messageVersion: 1,
      buttons: content.type === 'buttons' ? content.buttons.map(quickReply) : [singleSelect(content)],
    },
  }
  return {
    viewOnceMessage: {
      message: {
        messageContextInfo: { deviceListMetadata: {}, deviceListMetadataVersion: 2 },
        interactiveMessage: interactive,
      },
    },
  }
}

type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton

function quickReply({ id, text }: { id: string; text: string }): FlowButton {
  return { name: 'quick_reply', buttonParamsJson: JSON.stringify({ display_text: text, id }) }
}

function singleSelect({ buttonText, sections }: List): FlowButton {
  return { name: 'single_select', buttonParamsJson: JSON.stringify({ title: buttonText, sections }) }
}

/** What the server needs to know beside the encrypted part: it drops native flows that are not announced. */
export const nativeFlowNode: BinaryNode = {
  tag: 'biz',
  attrs: {},
  content: [
    {
      tag: 'interactive',
      attrs: { type: 'native_flow', v: '1' },
      content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }],
    },
  ],
}
