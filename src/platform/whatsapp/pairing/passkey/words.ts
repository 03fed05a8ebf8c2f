/** How a pairing with a passkey ends that leads to no number: what happened, and what the person can do. */
export const NOT_ALLOWED =
  'this number can be linked only with its passkey, and this gateway does not ask for passkeys: ' +
  'its operator can switch that on (POSTERN_PASSKEY=on)'
export const NO_OPTIONS = 'the platform asks for the passkey of this number and does not say how: start anew'
export const NO_ASSERTION = 'nobody used the passkey in time: start anew'
export const NO_CONTINUATION =
  'the platform took the passkey, and then the phone did not go on: keep WhatsApp open on the phone, and start anew'
export const NO_PHONE_KEY = 'the phone answered what cannot be understood: start anew'
export const NOT_CONFIRMED = 'nobody said in time that both codes are the same: start anew'
export const NO_PAIR_SUCCESS = 'the phone did not link the device after the passkey: start anew'

export const BROKEN_OFF = 'the platform broke off after it had asked for the passkey: start anew'

export const REFUSED_TOO_OFTEN =
  'the platform did not take the passkey five times: look whether it is the one of this number, and start anew'

export const notTaken = (code: string): string =>
  `the platform did not take the passkey${code}: use it once more, for the new request that is shown now`
