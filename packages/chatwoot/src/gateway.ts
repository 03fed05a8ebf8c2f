import { BridgeError } from './bridge-error.ts'

/** No gateway runs in the data folder now. A bridge that has run before waits for it. */
export class GatewayNotRunning extends BridgeError {
  override name = 'GatewayNotRunning'
}
