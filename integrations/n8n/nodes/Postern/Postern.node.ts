import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { PROPERTIES } from './descriptions/resources.ts'
import { perform } from './perform.ts'
import { getSessions } from './sessions.ts'

export class Postern implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postern',
    name: 'postern',
    icon: 'file:postern.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter["resource"] + ": " + $parameter["operation"] }}',
    description: 'Send WhatsApp messages and do everything else that a Postern gateway can do',
    defaults: { name: 'Postern' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'posternApi', required: true }],
    properties: PROPERTIES,
  }

  methods = { loadOptions: { getSessions } }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const out: INodeExecutionData[] = []
    for (const itemIndex of this.getInputData().keys()) {
      try {
        const answers = await perform(this, itemIndex)
        const items = this.helpers.returnJsonArray(answers as IDataObject[])
        out.push(...this.helpers.constructExecutionMetaData(items, { itemData: { item: itemIndex } }))
      } catch (error) {
        if (!this.continueOnFail()) throw error
        out.push({ json: failureOf(error as Error), pairedItem: { item: itemIndex } })
      }
    }
    return [out]
  }
}

/** The item that describes an error in a workflow that continues after errors. */
function failureOf(
  error: Error & { description?: string | null; httpCode?: string | null; context?: IDataObject },
): IDataObject {
  return { error: error.message, status: error.httpCode ?? null, cure: error.description ?? null }
}
