/** Set by `npm run test:cluster`: gateways are clusters of processes on PostgreSQL behind a pooler. */
export const IS_CLUSTER = process.env.TEST_CLUSTER === '1'
