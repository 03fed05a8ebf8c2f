import type { IAuthenticateGeneric, Icon, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

export class PosternApi implements ICredentialType {
  name = 'posternApi'

  displayName = 'Postern API'

  icon: Icon = 'file:postern.svg'

  documentationUrl = 'http://127.0.0.1:8080/docs/n8n'

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8080',
      placeholder: 'https://gateway.example.com',
      required: true,
      description: 'The address of the gateway, without a path',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'ptn_…',
      required: true,
      description:
        'From API Keys in the portal. The trigger needs the scopes read and manage, the action node those of the calls that you make.',
    },
    {
      displayName: 'Operator Token',
      name: 'operatorToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'For the resource Operator alone: POSTERN_OPERATOR_TOKEN of the gateway. Leave it empty otherwise.',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(new RegExp("/+$"), "")}}', url: '/v1/me' },
  }
}
