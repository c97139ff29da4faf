// The thin entry: a Hub behind a socket, without loading the MCP SDK.
export { CapstanError } from './errors.ts'
export { dialHub } from './daemon/dial.ts'
export type * from './hub/api.ts'
