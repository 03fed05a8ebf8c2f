/** The public interface has one set of types, which the client library brings to customers too. */
export type { paths } from '../../../sdk/src/schema.ts'
