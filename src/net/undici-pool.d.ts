declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  /** Without the methods that the root of the package adds to all dispatchers. */
  type BarePool = Pick<Pool, 'close' | 'destroy' | 'dispatch' | 'stats'>
  const BarePool: new (...options: ConstructorParameters<typeof Pool>) => BarePool
  export default BarePool
}
