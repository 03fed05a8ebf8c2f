import type { proto } from 'baileys'
import type { MessageEvent } from '../../../domain/event.ts'

type ButtonResponse = NonNullable<MessageEvent['button_response']>

/** Which button or row was pressed, in the four shapes that phones answer with. */
export function buttonResponseOf(content: proto.IMessage): ButtonResponse | undefined {
  const { buttonsResponseMessage: button, templateButtonReplyMessage: template, listResponseMessage: list } = content
  if (button) return { selected_id: button.selectedButtonId ?? '', selected_text: button.selectedDisplayText ?? '' }
  if (template) return { selected_id: template.selectedId ?? '', selected_text: template.selectedDisplayText ?? '' }
  if (list) return { selected_id: list.singleSelectReply?.selectedRowId ?? '', selected_text: list.title ?? '' }
  return content.interactiveResponseMessage ? nativeFlowResponse(content.interactiveResponseMessage) : undefined
}

function nativeFlowResponse(response: proto.Message.IInteractiveResponseMessage): ButtonResponse {
  const paramsJson = response.nativeFlowResponseMessage?.paramsJson ?? ''
  const params = parse(paramsJson)
  return {
    selected_id: textOf(params.id) ?? '',
    selected_text: response.body?.text || textOf(params.display_text) || textOf(params.title) || '',
    ...(paramsJson !== '' && { params_json: paramsJson }),
  }
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
